// How TagLib is made to read text whose encoding is unknown or wrongly told.
#pragma once
#include <taglib/id3v1tag.h>
#include <taglib/id3v2tag.h>
#include <taglib/infotag.h>
#include <taglib/tdebuglistener.h>

/// Marks each byte from 0x80 on, so that who knows all the text of a file can tell its encoding.
inline TagLib::String marked(const TagLib::ByteVector &bytes) {
  TagLib::String text(bytes, TagLib::String::Latin1);
  for (auto &unit : text)
    if (unit >= 0x80 && unit < 0x100) unit += 0xF700;
  return text;
}

class MarkingID3v2 : public TagLib::ID3v2::Latin1StringHandler {
  TagLib::String parse(const TagLib::ByteVector &bytes) const override { return marked(bytes); }
};

class MarkingID3v1 : public TagLib::ID3v1::StringHandler {
  TagLib::String parse(const TagLib::ByteVector &bytes) const override {
    return marked(bytes).stripWhiteSpace();
  }
};

class MarkingInfo : public TagLib::RIFF::Info::StringHandler {
  TagLib::String parse(const TagLib::ByteVector &bytes) const override { return marked(bytes); }
};

/// TagLib tells of damaged files on stderr otherwise.
class Silence : public TagLib::DebugListener {
  void printMessage(const TagLib::String &) override {}
};

/// Sets all this up, once.
inline void setUp() {
  static const bool isDone = [] {
    TagLib::setDebugListener(new Silence);
    TagLib::ID3v2::Tag::setLatin1StringHandler(new MarkingID3v2);
    TagLib::ID3v1::Tag::setStringHandler(new MarkingID3v1);
    TagLib::RIFF::Info::Tag::setStringHandler(new MarkingInfo);
    return true;
  }();
  (void)isDone;
}
