// A look at an ID3v2 tag before TagLib reads it: text to mend, pictures to leave out.
#pragma once
#include "shim.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

/// A part of the file, read as zeros.
struct Gap {
  int64_t start, end;
};
using Gaps = std::vector<Gap>;

/// Walks the frames of a tag (ID3v2.3 and 2.4 structure, 3.3 and 4) that the first block starts with.
///
/// UTF-16 text without a byte order mark, which TagLib drops, becomes the big-endian kind that needs
/// none. Of big pictures only the first bytes need be read; it gives where the rest of each is.
inline Gaps lookedThrough(const ctaglib_file *file) {
  constexpr int64_t header = 10, big = 8192, kept = 512;
  const auto &head = file->blocks[0];
  Gaps gaps;
  auto syncsafe = [](const uint8_t *b) { return int64_t(b[0]) << 21 | b[1] << 14 | b[2] << 7 | b[3]; };
  auto plain = [](const uint8_t *b) { return int64_t(b[0]) << 24 | b[1] << 16 | b[2] << 8 | b[3]; };
  if (head.count < header || std::memcmp(head.bytes, "ID3", 3) != 0) return gaps;
  int version = head.bytes[3];
  if (version < 3 || version > 4 || (head.bytes[5] & 0xC0)) return gaps;
  int64_t end = std::min(file->size, header + syncsafe(head.bytes + 6));
  uint8_t bytes[header];
  for (int64_t place = header; place + header < end;) {
    bool isInHead = place + header <= head.count;
    if (isInHead)
      std::memcpy(bytes, head.bytes + place, header);
    else if (pread(file->descriptor, bytes, header, place) != header)
      return gaps;
    for (int i = 0; i < 4; i++)
      if (!(bytes[i] >= 'A' && bytes[i] <= 'Z') && !(bytes[i] >= '0' && bytes[i] <= '9')) return gaps;
    // Some writers of 2.4 forgot that its sizes have seven bits a byte; TagLib guesses, we leave it.
    if (version == 4 && std::any_of(bytes + 4, bytes + 8, [](uint8_t b) { return b > 0x7F; })) return gaps;
    int64_t size = version == 4 ? syncsafe(bytes + 4) : plain(bytes + 4);
    int64_t body = place + header;
    if (size <= 0 || body + size > end || bytes[9]) return gaps;
    if (std::memcmp(bytes, "APIC", 4) == 0 && size > big) {
      gaps.push_back({std::max(body + kept, head.count), body + size});
    } else if (bytes[0] == 'T' && size > 4 && body + size <= head.count && head.bytes[body] == 1) {
      uint8_t *text = head.bytes + body + 1;
      bool isMarked = (text[0] == 0xFF && text[1] == 0xFE) || (text[0] == 0xFE && text[1] == 0xFF);
      if (!isMarked) {
        head.bytes[body] = 2;
        if (text[0])
          for (int64_t i = 0; i + 1 < size - 1; i += 2) std::swap(text[i], text[i + 1]);
      }
    }
    place = body + size;
  }
  return gaps;
}
