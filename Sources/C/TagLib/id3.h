// A look at an ID3v2 tag before TagLib reads it: text to mend, pictures to leave out, plain text to take.
#pragma once
#include "shim.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

/// A part of the file, read as zeros.
struct Gap {
  int64_t start, end;
};
using Gaps = std::vector<Gap>;

/// A frame of a tag: its name, and where its content is.
struct TagFrame {
  std::string id;
  int64_t start, size;
};

struct LookedThrough {
  Gaps gaps;
  std::vector<TagFrame> frames;
  /// Where the tag ends, if all of its frames have been told and the text in them is at hand; else 0.
  int64_t end = 0;
};

/// Walks the frames of a tag (ID3v2.3 and 2.4 structure, 3.3 and 4) that the first block starts with.
///
/// UTF-16 text without a byte order mark, which TagLib drops, becomes the big-endian kind that needs
/// none. Of big pictures only the first bytes need be read; it gives where the rest of each is.
inline LookedThrough lookedThrough(const ctaglib_file *file) {
  constexpr int64_t header = 10, big = 8192, kept = 512;
  const auto &head = file->blocks[0];
  LookedThrough found;
  auto syncsafe = [](const uint8_t *b) { return int64_t(b[0]) << 21 | b[1] << 14 | b[2] << 7 | b[3]; };
  auto plain = [](const uint8_t *b) { return int64_t(b[0]) << 24 | b[1] << 16 | b[2] << 8 | b[3]; };
  if (head.count < header || std::memcmp(head.bytes, "ID3", 3) != 0) return found;
  int version = head.bytes[3];
  if (version < 3 || version > 4 || (head.bytes[5] & 0xC0)) return found;
  int64_t end = std::min(file->size, header + syncsafe(head.bytes + 6));
  bool isAtHand = head.bytes[5] == 0;
  uint8_t bytes[header];
  for (int64_t place = header; place + header < end;) {
    bool isInHead = place + header <= head.count;
    if (isInHead)
      std::memcpy(bytes, head.bytes + place, header);
    else if (pread(file->descriptor, bytes, header, place) != header)
      return found;
    if (!bytes[0]) break;  // padding
    for (int i = 0; i < 4; i++)
      if (!(bytes[i] >= 'A' && bytes[i] <= 'Z') && !(bytes[i] >= '0' && bytes[i] <= '9')) return found;
    // Some writers of 2.4 forgot that its sizes have seven bits a byte; TagLib guesses, we leave it.
    if (version == 4 && std::any_of(bytes + 4, bytes + 8, [](uint8_t b) { return b > 0x7F; })) return found;
    int64_t size = version == 4 ? syncsafe(bytes + 4) : plain(bytes + 4);
    int64_t body = place + header;
    if (size <= 0 || body + size > end) return found;
    if (bytes[9]) {
      // Packed text grows up to a thousandfold: what is more than any name needs is not unpacked.
      isAtHand = false;
      if (bytes[9] & (version == 4 ? 0x08 : 0x80) && size > big)
        found.gaps.push_back({std::max(body, head.count), body + size});
      place = body + size;
      continue;
    }
    bool isPicture = std::memcmp(bytes, "APIC", 4) == 0;
    // Gain in RVA2 frames is left to TagLib.
    isAtHand = isAtHand && (isPicture || (body + size <= head.count && std::memcmp(bytes, "RVA2", 4) != 0));
    if (isPicture && size > big) {
      found.gaps.push_back({std::max(body + kept, head.count), body + size});
    } else if (bytes[0] == 'T' && size > 4 && body + size <= head.count && head.bytes[body] == 1) {
      uint8_t *text = head.bytes + body + 1;
      bool isMarked = (text[0] == 0xFF && text[1] == 0xFE) || (text[0] == 0xFE && text[1] == 0xFF);
      if (!isMarked) {
        head.bytes[body] = 2;
        if (text[0])
          for (int64_t i = 0; i + 1 < size - 1; i += 2) std::swap(text[i], text[i + 1]);
      }
    }
    found.frames.push_back({std::string(reinterpret_cast<char *>(bytes), 4), body, size});
    place = body + size;
  }
  if (isAtHand) found.end = end;
  return found;
}

/// Adds a character as UTF-8.
inline void append(std::string &text, uint32_t character) {
  auto next = [&](int shift, uint32_t first) { text += char(first | (character >> shift & 0x3F)); };
  if (character < 0x80) {
    text += char(character);
  } else if (character < 0x800) {
    text += char(0xC0 | character >> 6);
    next(0, 0x80);
  } else if (character < 0x10000) {
    text += char(0xE0 | character >> 12);
    next(6, 0x80);
    next(0, 0x80);
  } else {
    text += char(0xF0 | character >> 18);
    next(12, 0x80);
    next(6, 0x80);
    next(0, 0x80);
  }
}

/// Calls `found` with the number and text of each of the values between which a NUL stands, as UTF-8.
///
/// In one of the four encodings (ID3v2.4 structure, 4); bytes from 0x80 on of the first are marked.
template <typename Found>
void eachText(uint8_t encoding, const uint8_t *bytes, const uint8_t *end, Found found) {
  std::string text;
  const int width = encoding == 1 || encoding == 2 ? 2 : 1;
  bool isLittle = false;
  for (int number = 0; bytes + width <= end; number++) {
    text.clear();
    uint32_t high = 0;
    while (bytes + width <= end) {
      uint32_t unit = width == 1 ? bytes[0] : isLittle ? bytes[0] | bytes[1] << 8 : bytes[0] << 8 | bytes[1];
      bytes += width;
      if (unit == 0) break;
      if (encoding == 3) {
        text += char(unit);
      } else if (width == 1) {
        append(text, unit < 0x80 ? unit : unit + 0xF700);
      } else if (unit == 0xFEFF || unit == 0xFFFE) {
        isLittle = isLittle != (unit == 0xFFFE);  // the byte order mark, as read so far
      } else if (unit >= 0xD800 && unit < 0xDC00) {
        high = unit;
      } else if (unit >= 0xDC00 && unit < 0xE000) {
        if (high) append(text, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
        high = 0;
      } else {
        append(text, unit);
      }
    }
    found(number, text);
  }
}
