// In a program that this is preloaded into: what $FAKEGPIO names is a pipe of commands, one a line, to the chip.
//
//   label NAME          the chip's label
//   level LINE 0|1      an edge, at the time when the command is read
//   have CODE           input devices have this key
//
// Each output that changes is a line `LINE 0|1` in the file of that name and ".log".
#include "fakegpio.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int journal = -1;

void fakegpio_tell(unsigned line, bool is_high) {
  char text[32];
  if (journal >= 0) (void)!write(journal, text, (size_t)snprintf(text, sizeof text, "%u %d\n", line, is_high));
}

static void obey(const char *command) {
  char name[32];
  unsigned line;
  int is_high;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (sscanf(command, "label %31s", name) == 1) fakegpio_label(name);
  if (sscanf(command, "have %u", &line) == 1) fakekeys_have((uint16_t)line);
  if (sscanf(command, "level %u %d", &line, &is_high) == 2)
    fakegpio_set(line, is_high, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
}

static void *serve(void *commands) {
  char command[64];
  while (fgets(command, sizeof command, commands)) obey(command);
  return NULL;
}

/// The label is there before the program asks for it: the first commands are what $FAKEGPIO_FIRST holds, apart by ";".
__attribute__((constructor)) static void begin(void) {
  const char *pipe = getenv("FAKEGPIO"), *first = getenv("FAKEGPIO_FIRST");
  if (!pipe) return;
  char path[256], commands[256];
  snprintf(path, sizeof path, "%s.log", pipe);
  journal = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  snprintf(commands, sizeof commands, "%s", first ? first : "");
  char *rest = commands;
  for (char *command; (command = strsep(&rest, ";"));) obey(command);
  // Both ends are held, so that the pipe never ends.
  int descriptor = open(pipe, O_RDWR | O_CLOEXEC);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
  pthread_t thread;
  if (file) pthread_create(&thread, NULL, serve, file);
}
