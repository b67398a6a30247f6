#define _GNU_SOURCE
#include "shim.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#define STRING(text) STRING_(text)
#define STRING_(text) #text
#define CODEC "libavcodec.so." STRING(LIBAVCODEC_VERSION_MAJOR)
#define SCALE "libswscale.so." STRING(LIBSWSCALE_VERSION_MAJOR)
#define FORMAT "libavformat.so." STRING(LIBAVFORMAT_VERSION_MAJOR)

// The linker's walk through a hundred libraries leaves most of their pages in memory, though few are
// used; starting up has left others. They are clean copies of the files, and come back as they are
// needed: 15 to 20 MB less.
static int release(struct dl_phdr_info *object, size_t size, void *data) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr) & -page;
    uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & -page;
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

static void *load(const char *name) {
  void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library) dl_iterate_phdr(release, NULL);
  return library;
}

// libavutil is found through libavcodec, which depends on it.
#define FIND(name) \
  if (!(table.name = (__typeof__(table.name))dlsym(library, #name))) return NULL;

const struct cffmpeg_codec *cffmpeg_load_codec(void) {
  static struct cffmpeg_codec table;
  void *library = load(CODEC);
  if (!library) return NULL;
  CFFMPEG_CODEC_FUNCTIONS(FIND)
  return &table;
}

const struct cffmpeg_format *cffmpeg_load_format(void) {
  static struct cffmpeg_format table;
  void *library = load(FORMAT);
  if (!library) return NULL;
  CFFMPEG_FORMAT_FUNCTIONS(FIND)
  return &table;
}

const struct cffmpeg_picture *cffmpeg_load_picture(void) {
  static struct cffmpeg_picture table;
  void *library = load(CODEC);
  if (!library) return NULL;
  CFFMPEG_PICTURE_FUNCTIONS(FIND)
  return &table;
}

const struct cffmpeg_scale *cffmpeg_load_scale(void) {
  static struct cffmpeg_scale table;
  void *library = load(SCALE);
  if (!library) return NULL;
  CFFMPEG_SCALE_FUNCTIONS(FIND)
  return &table;
}
