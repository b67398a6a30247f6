#define _GNU_SOURCE
#include "fakeudev.h"
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

static bool is_lost;

void fakeudev_lose(void) { is_lost = true; }

/// In the place of the C library's, which libudev reads its news by.
ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
  static ssize_t (*next)(int, struct msghdr *, int);
  if (!next) next = (ssize_t(*)(int, struct msghdr *, int))dlsym(RTLD_NEXT, "recvmsg");
  if (!is_lost) return next(socket, message, flags);
  // As netlink(7): what did not fit into the queue is gone, and the reader is told so once.
  is_lost = false;
  char news[1 << 16];
  while (recv(socket, news, sizeof news, MSG_DONTWAIT) > 0) continue;
  errno = ENOBUFS;
  return -1;
}
