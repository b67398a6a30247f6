// The kernel's calls that the Glibc module lacks, and those that the audio thread may make.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define AUDITED __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))

/// Waits until a descriptor is ready or `nanoseconds` have passed (for ever if negative); ppoll(2).
AUDITED static inline int clinux_wait(struct pollfd *descriptors, unsigned count, int64_t nanoseconds) {
  struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  return ppoll(descriptors, count, nanoseconds < 0 ? NULL : &limit, NULL);
}

/// Adds one to an eventfd's count; write(2).
AUDITED static inline void clinux_signal(int eventfd) {
  uint64_t one = 1;
  (void)!write(eventfd, &one, sizeof one);
}

/// Takes an eventfd's count (0 if it had none; the descriptor must be non-blocking); read(2).
AUDITED static inline uint64_t clinux_take(int eventfd) {
  uint64_t count = 0;
  return read(eventfd, &count, sizeof count) == sizeof count ? count : 0;
}

/// Nanoseconds of CLOCK_MONOTONIC; clock_gettime(2), served without entering the kernel.
AUDITED static inline int64_t clinux_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

#undef AUDITED

/// Waits until one descriptor can be read or `nanoseconds` have passed (for ever if negative).
static inline void clinux_await(int descriptor, int64_t nanoseconds) {
  struct pollfd one = {descriptor, POLLIN, 0};
  clinux_wait(&one, 1, nanoseconds);
}

/// glibc's own; its header shows it only to programs that ask for all GNU names, which Swift's don't.
extern int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *limit);

/// Waits for a thread's end, but no longer than that; one that is stuck in a read is let go. pthread_timedjoin_np.
static inline void clinux_join(pthread_t thread, int64_t nanoseconds) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  int64_t end = limit.tv_nsec + nanoseconds;
  limit.tv_sec += end / 1000000000;
  limit.tv_nsec = end % 1000000000;
  if (pthread_timedjoin_np(thread, NULL, &limit) != 0) pthread_detach(thread);
}

/// Names the calling thread, as ps and top show it (15 bytes); prctl(2), which is variadic.
static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

/// Lets the calling thread have the processor and the disk only when nobody else wants them.
///
/// sched_setscheduler(2) with SCHED_IDLE, and ioprio_set(2), which the C library lacks, with the idle class.
static inline void clinux_idle(void) {
  struct sched_param none = {0};
  sched_setscheduler(0, 5 /* SCHED_IDLE, GNU only */, &none);
  syscall(SYS_ioprio_set, 1 /* a thread */, 0, 3 << 13);
}

/// Lets the calling thread go before all threads of the usual class, or no more where `priority` is 0.
///
/// sched_setscheduler(2) with SCHED_FIFO, which threads that it starts do not inherit.
static inline void clinux_hurry(int priority) {
  struct sched_param parameters = {.sched_priority = priority};
  sched_setscheduler(0, (priority ? SCHED_FIFO : SCHED_OTHER) | 0x40000000 /* SCHED_RESET_ON_FORK */, &parameters);
}

/// One source that is ready: the word it was watched with, and what is ready; epoll_event without its union.
typedef struct {
  uint64_t word;
  uint32_t events;
} clinux_ready;

/// Watches a descriptor, or no more (`operation` is EPOLL_CTL_ADD, MOD or DEL); epoll_ctl(2).
static inline int clinux_watch(int epoll, int operation, int descriptor, uint32_t events, uint64_t word) {
  struct epoll_event event = {.events = events, .data.u64 = word};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

/// Sleeps until something is ready, at most 32 things at once, or for `milliseconds`; epoll_wait(2).
static inline int clinux_epoll(int epoll, clinux_ready *ready, int count, int milliseconds) {
  struct epoll_event events[32];
  int found = epoll_wait(epoll, events, count < 32 ? count : 32, milliseconds);
  for (int i = 0; i < found; i++) ready[i] = (clinux_ready){events[i].data.u64, events[i].events};
  return found;
}

/// glibc's own, which its header shows only to programs that ask for all GNU names.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

/// Takes a connection, non-blocking and closed on exec; accept4(2).
static inline int clinux_accept(int listener) {
  return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// Has a timerfd come due once, in so many nanoseconds, or never if they are 0; timerfd_settime(2).
static inline void clinux_set(int timerfd, int64_t nanoseconds) {
  struct itimerspec value = {.it_value = {nanoseconds / 1000000000, nanoseconds % 1000000000}};
  timerfd_settime(timerfd, 0, &value, NULL);
}

/// Runs a program that is found in $PATH and waits for its end: its exit code, or -1. posix_spawnp(3).
static inline int clinux_run(char *const words[]) {
  extern char **environ;
  pid_t child;
  int status;
  if (posix_spawnp(&child, words[0], NULL, NULL, words, environ) != 0) return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Has a timerfd of CLOCK_REALTIME become readable once somebody sets the clock; timerfd_settime(2).
static inline void clinux_watch_clock(int timerfd) {
  uint64_t count;
  (void)!read(timerfd, &count, sizeof count);
  struct itimerspec never = {.it_value = {INT64_MAX / 1000000000, 0}};
  timerfd_settime(timerfd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

/// Minutes since midnight, as the clocks of the zone show them; localtime_r(3).
static inline int clinux_minute(void) {
  time_t now = time(NULL);
  struct tm local;
  return localtime_r(&now, &local) ? local.tm_hour * 60 + local.tm_min : 0;
}

/// How long the calling thread has run or waited for a processor (nanoseconds); what else passed, it
/// waited for something. `schedule` is its /proc/thread-self/schedstat; proc(5).
static inline int64_t clinux_ran(int schedule) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  int64_t ran = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
  char text[96] = "";
  long long cpu = 0, delay = 0;
  if (pread(schedule, text, sizeof text - 1, 0) > 0 && sscanf(text, "%lld %lld", &cpu, &delay) == 2)
    ran += delay;
  return ran;
}
