#include "shim.h"

#include <dlfcn.h>

#define STRING(text) STRING_(text)
#define STRING_(text) #text
#define CODEC "libavcodec.so." STRING(LIBAVCODEC_VERSION_MAJOR)
#define FORMAT "libavformat.so." STRING(LIBAVFORMAT_VERSION_MAJOR)

// libavutil is found through libavcodec, which depends on it.
#define FIND(name) \
  if (!(table.name = (__typeof__(table.name))dlsym(library, #name))) return NULL;

const struct cffmpeg_codec *cffmpeg_load_codec(void) {
  static struct cffmpeg_codec table;
  void *library = dlopen(CODEC, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return NULL;
  CFFMPEG_CODEC_FUNCTIONS(FIND)
  return &table;
}

const struct cffmpeg_format *cffmpeg_load_format(void) {
  static struct cffmpeg_format table;
  void *library = dlopen(FORMAT, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return NULL;
  CFFMPEG_FORMAT_FUNCTIONS(FIND)
  return &table;
}
