// Counts what the thread named "audio" allocates from its first frames for the card to its last ones.
//
//   LD_PRELOAD=allocations.so ALLOCATIONS=FILE jukebox play ...   -> FILE: "frames=N handovers=N allocations=N closing=N"
//
// What it allocates to open the card comes before the first; what it frees to close it is counted as `closing`.
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static __thread __attribute__((tls_model("initial-exec"))) bool is_audio;
// Written by the audio thread alone, read when it is gone.
static long frames, handovers, since_first, at_last;

static void count(void) {
  if (is_audio && handovers > 0) since_first++;
}

void *malloc(size_t size) { return count(), __libc_malloc(size); }
void *calloc(size_t count_, size_t size) { return count(), __libc_calloc(count_, size); }
void *realloc(void *old, size_t size) { return count(), __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return count(), __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return count(), __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  count();
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;
}
void free(void *memory) {
  if (memory) count();
  __libc_free(memory);
}

int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  unsigned long a = va_arg(list, unsigned long), b = va_arg(list, unsigned long), c = va_arg(list, unsigned long),
                d = va_arg(list, unsigned long);
  va_end(list);
  if (option == PR_SET_NAME) is_audio = !strcmp((const char *)a, "audio");
  return (int)syscall(SYS_prctl, option, a, b, c, d);
}

snd_pcm_sframes_t snd_pcm_mmap_commit(snd_pcm_t *pcm, snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
  static snd_pcm_sframes_t (*next)(snd_pcm_t *, snd_pcm_uframes_t, snd_pcm_uframes_t);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "snd_pcm_mmap_commit");
  handovers++;
  frames += (long)size;
  at_last = since_first;
  return next(pcm, offset, size);
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("ALLOCATIONS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "frames=%ld handovers=%ld allocations=%ld closing=%ld\n", frames, handovers, at_last, since_first - at_last);
  fclose(file);
}
