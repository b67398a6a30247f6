// A file for TagLib that has its first and last bytes in memory and reads the rest in blocks.
#pragma once
#include "id3.h"
#include "shim.h"

#include <taglib/tiostream.h>

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#if TAGLIB_MAJOR_VERSION >= 2
using Place = TagLib::offset_t;
using Size = size_t;
using Insertion = TagLib::offset_t;
#else
using Place = long;
using Size = unsigned long;
using Insertion = unsigned long;
#endif

/// Read only, and only so much in all, whatever sizes the file claims to hold.
class BlockStream : public TagLib::IOStream {
 public:
  /// What stands before `start` is not shown.
  explicit BlockStream(const ctaglib_file *file, const Gaps &gaps = {}, int64_t start = 0)
      : file(file), gaps(gaps), start(start), place(start) {}

  TagLib::ByteVector readBlock(Size length) override {
    if (place < start || place >= file->size) return {};
    int64_t count = std::min<int64_t>({int64_t(std::min<Size>(length, 32 << 20)), file->size - place, left});
    for (const auto &block : file->blocks)
      if (const uint8_t *bytes = within(block, count)) return take(bytes, count);
    if (const uint8_t *bytes = within(own, count)) return take(bytes, count);
    if (count > blockSize) {
      TagLib::ByteVector read(static_cast<unsigned>(count), 0);
      int64_t got = fill(read.data(), place, place + count);
      read.resize(static_cast<unsigned>(got));
      left -= got;
      place += read.size();
      return read;
    }
    buffer.resize(blockSize);
    int64_t got = pread(file->descriptor, buffer.data(), blockSize, place);
    own = {place, std::max<int64_t>(got, 0), buffer.data()};
    return take(own.bytes, std::min(count, own.count));
  }

  void seek(Place offset, Position from = Beginning) override {
    place = from == Beginning ? start + offset : from == Current ? place + offset : file->size + offset;
  }
  Place tell() const override { return static_cast<Place>(place - start); }
  Place length() override { return static_cast<Place>(file->size - start); }
  bool readOnly() const override { return true; }
  bool isOpen() const override { return true; }
  TagLib::FileName name() const override { return ""; }
  void writeBlock(const TagLib::ByteVector &) override {}
  void insert(const TagLib::ByteVector &, Insertion, Size) override {}
  void removeBlock(Insertion, Size) override {}
  void truncate(Place) override {}

 private:
  static constexpr int64_t blockSize = 4096;

  /// Reads all but what lies in the gaps; gives the number of bytes up to the end or a failure.
  int64_t fill(char *bytes, int64_t start, int64_t end) const {
    int64_t from = start;
    for (const auto &gap : gaps) {
      if (gap.end <= from || gap.start >= end) continue;
      if (gap.start > from) {
        int64_t got = pread(file->descriptor, bytes + (from - start), gap.start - from, from);
        if (got < gap.start - from) return from - start + std::max<int64_t>(got, 0);
      }
      from = std::min(gap.end, end);
    }
    int64_t got = from < end ? pread(file->descriptor, bytes + (from - start), end - from, from) : 0;
    const auto &head = file->blocks[0];  // mended there, perhaps
    if (start < head.count)
      std::memcpy(bytes, head.bytes + start, std::min(head.count, end) - start);
    return from - start + std::max<int64_t>(got, 0);
  }

  const uint8_t *within(const ctaglib_block &block, int64_t count) const {
    bool holds = place >= block.offset && place + count <= block.offset + block.count;
    return holds ? block.bytes + (place - block.offset) : nullptr;
  }

  TagLib::ByteVector take(const uint8_t *bytes, int64_t count) {
    left -= count;
    place += count;
    return TagLib::ByteVector(reinterpret_cast<const char *>(bytes), static_cast<unsigned>(count));
  }

  const ctaglib_file *file;
  const Gaps gaps;
  const int64_t start;
  int64_t place;
  int64_t left = 96 << 20;
  std::vector<uint8_t> buffer;
  ctaglib_block own{0, 0, nullptr};
};
