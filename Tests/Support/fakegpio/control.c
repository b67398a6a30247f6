// In a program that this is preloaded into: what $FAKEGPIO names is a pipe of commands, one a line, to the chip.
//
//   label NAME          the chip's label
//   level LINE 0|1      an edge, at the time when the command is read
//   have CODE           input devices have this key
//
// Each level is told by a line `LINE 0|1 NANOSECONDS` in the file of that name and ".log": those of these commands
// with the edge's time, those that the program sets with the time when it did.
#include "fakegpio.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static int journal = -1;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void note(unsigned line, bool is_high, uint64_t nanoseconds) {
  char text[64];
  int size = snprintf(text, sizeof text, "%u %d %llu\n", line, is_high, (unsigned long long)nanoseconds);
  if (journal >= 0) (void)!write(journal, text, (size_t)size);
}

void fakegpio_tell(unsigned line, bool is_high) { note(line, is_high, now()); }

static void obey(const char *command) {
  char name[32];
  unsigned line;
  int is_high;
  if (sscanf(command, "label %31s", name) == 1) fakegpio_label(name);
  if (sscanf(command, "have %u", &line) == 1) fakekeys_have((uint16_t)line);
  if (sscanf(command, "level %u %d", &line, &is_high) == 2) {
    uint64_t time = now();
    fakegpio_set(line, is_high, time);
    note(line, is_high, time);
  }
}

/// A writer's line comes whole, and may come along with others. Not by stdio, whose lock would hold up exit(3).
static void *serve(void *pipe) {
  char text[4096];
  for (ssize_t count; (count = read(*(int *)pipe, text, sizeof text - 1)) > 0;) {
    text[count] = 0;
    char *rest = text;
    for (char *command; (command = strsep(&rest, "\n"));) obey(command);
  }
  return NULL;
}

/// The label is there before the program asks for it: the first commands are what $FAKEGPIO_FIRST holds, apart by ";".
__attribute__((constructor)) static void begin(void) {
  const char *pipe = getenv("FAKEGPIO"), *first = getenv("FAKEGPIO_FIRST");
  if (!pipe) return;
  // A test that breaks off leaves nothing running.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char path[256], commands[256];
  snprintf(path, sizeof path, "%s.log", pipe);
  journal = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  snprintf(commands, sizeof commands, "%s", first ? first : "");
  char *rest = commands;
  for (char *command; (command = strsep(&rest, ";"));) obey(command);
  // Both ends are held, so that the pipe never ends.
  static int descriptor;
  descriptor = open(pipe, O_RDWR | O_CLOEXEC);
  // Signals are the program's own.
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_t thread;
  if (descriptor >= 0 && pthread_create(&thread, NULL, serve, &descriptor) == 0)
    // As the kernel's own interrupt threads, where it is allowed.
    pthread_setschedparam(thread, SCHED_FIFO, &(struct sched_param){.sched_priority = 50});
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}
