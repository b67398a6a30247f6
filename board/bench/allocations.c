// Preloaded, it counts the calls of malloc and its relatives; see board/bench/core.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_ulong calls;

unsigned long allocation_count(void) { return atomic_load(&calls); }

void *malloc(size_t size) {
  atomic_fetch_add(&calls, 1);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  atomic_fetch_add(&calls, 1);
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  atomic_fetch_add(&calls, 1);
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  atomic_fetch_add(&calls, 1);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **made, size_t alignment, size_t size) {
  atomic_fetch_add(&calls, 1);
  *made = __libc_memalign(alignment, size);
  return *made ? 0 : 12;
}
