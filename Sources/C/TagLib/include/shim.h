// TagLib behind plain C: the text of an audio file's tags, how its sound is stored, its pictures.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/// What a value is of; the names that formats give them are in the source.
enum ctaglib_key {
  CTAGLIB_TITLE,
  CTAGLIB_ARTIST,
  CTAGLIB_ALBUM,
  CTAGLIB_ALBUM_ARTIST,
  CTAGLIB_COMPOSER,
  CTAGLIB_GENRE,
  CTAGLIB_DATE,
  CTAGLIB_TRACK,
  CTAGLIB_TRACK_TOTAL,
  CTAGLIB_DISC,
  CTAGLIB_DISC_TOTAL,
  CTAGLIB_COMPILATION,
  CTAGLIB_COMMENT,
  CTAGLIB_LYRICS,
  CTAGLIB_BPM,
  CTAGLIB_TITLE_SORT,
  CTAGLIB_ARTIST_SORT,
  CTAGLIB_ALBUM_SORT,
  CTAGLIB_ALBUM_ARTIST_SORT,
  CTAGLIB_COMPOSER_SORT,
  CTAGLIB_PODCAST,
  CTAGLIB_TRACK_GAIN,
  CTAGLIB_TRACK_PEAK,
  CTAGLIB_ALBUM_GAIN,
  CTAGLIB_ALBUM_PEAK,
  CTAGLIB_R128_TRACK_GAIN,
  CTAGLIB_R128_ALBUM_GAIN,
  /// iTunes' encoder delay, padding and length, in hexadecimal.
  CTAGLIB_SMPB,
  /// iTunes' kind of medium: 2 is an audiobook, 21 a podcast.
  CTAGLIB_MEDIA_KIND,
  /// Empty; there is an embedded picture.
  CTAGLIB_PICTURE,
  /// How many there are; told, empty, after the last value of each tag.
  CTAGLIB_KEYS,
};

/// Bytes of the file that have been read already. Text in them that TagLib would not read is mended.
struct ctaglib_block {
  int64_t offset;
  int64_t count;
  uint8_t *bytes;
};

/// An open file; the descriptor and the blocks stay the caller's. The first block is of its start.
struct ctaglib_file {
  int descriptor;
  int64_t size;
  struct ctaglib_block blocks[3];
};

/// How the sound is stored; 0 where unknown.
struct ctaglib_sound {
  int milliseconds;
  int rate;
  int channels;
  int bits;
  /// In kbit/s.
  int bitrate;
  int64_t frames;
};

/// A byte B of text in an unknown 8-bit encoding, from 0x80 on, comes as U+F700 + B.
///
/// Calls `found` with each value, UTF-8 with `count` bytes that live until it returns. Where a file
/// has several tags the better one comes first (ID3v2, then APEv2, then ID3v1). A file of another
/// format or broken yields what was readable of it, perhaps nothing.
/// - Returns: whether there is sound.
bool ctaglib_read(const struct ctaglib_file *file, enum ctaglib_format format, void *context,
                  void (*found)(void *context, enum ctaglib_key key, const char *value, size_t count),
                  struct ctaglib_sound *sound);

/// Calls `found` with each embedded picture until it returns true; `type` is that of ID3v2's APIC, 3
/// for the front cover, and -1 where the format tells none.
void ctaglib_pictures(const struct ctaglib_file *file, enum ctaglib_format format, void *context,
                      bool (*found)(void *context, int type, const uint8_t *bytes, size_t count));

/// The name of an ID3v1 genre; empty if there is none of the number. It lives until the next call.
const char *ctaglib_genre(int number);

#ifdef __cplusplus
}
#endif
