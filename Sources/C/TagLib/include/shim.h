// TagLib behind plain C: the text of an audio file's tags.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

/// The formats whose tags TagLib reads; each is told by content before TagLib sees the file.
enum ctaglib_format {
  CTAGLIB_MPEG,
  CTAGLIB_FLAC,
  CTAGLIB_OGG_FLAC,
  CTAGLIB_OGG_VORBIS,
  CTAGLIB_OGG_OPUS,
  CTAGLIB_OGG_SPEEX,
  CTAGLIB_MP4,
  CTAGLIB_WAV,
  CTAGLIB_AIFF,
  CTAGLIB_ASF,
  CTAGLIB_APE,
  CTAGLIB_WAVPACK,
  CTAGLIB_MUSEPACK,
  CTAGLIB_TRUE_AUDIO,
};

/// Calls `found` with each key (TagLib's upper-case property name) and value (UTF-8) in `path`.
///
/// Where a file has several tags the better one comes first (ID3v2, then APEv2, then ID3v1). The
/// strings live until `found` returns. No audio properties are read, so it is fast; a file that is
/// missing, of another format or broken yields what was readable of it, perhaps nothing.
void ctaglib_read(const char *path, enum ctaglib_format format, void *context,
                  void (*found)(void *context, const char *key, const char *value));

#ifdef __cplusplus
}
#endif
