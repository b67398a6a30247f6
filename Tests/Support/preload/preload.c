// Loaded before a program (LD_PRELOAD), to see how it takes what a system seldom does:
//
//   EIO_WHILE=FILE    while FILE exists, writes to files fail with EIO
//   CLOCK_FILE=FILE   the wall clock is as many seconds off as FILE says at the moment
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int fails(int descriptor) {
  const char *name = getenv("EIO_WHILE");
  struct stat status;
  if (!name || fstat(descriptor, &status) < 0 || !S_ISREG(status.st_mode) || access(name, F_OK) < 0) return 0;
  errno = EIO;
  return 1;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  return fails(descriptor) ? -1 : syscall(SYS_write, descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return fails(descriptor) ? -1 : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return fails(descriptor) ? -1 : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

static time_t difference(void) {
  const char *name = getenv("CLOCK_FILE");
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  char text[32] = "";
  if (file < 0) return 0;
  (void)!read(file, text, sizeof text - 1);
  close(file);
  return atoll(text);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += difference();
  return result;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
