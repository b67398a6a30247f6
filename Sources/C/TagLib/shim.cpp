#include "shim.h"

#include <taglib/aifffile.h>
#include <taglib/apefile.h>
#include <taglib/apetag.h>
#include <taglib/asffile.h>
#include <taglib/flacfile.h>
#include <taglib/id3v1tag.h>
#include <taglib/id3v2framefactory.h>
#include <taglib/id3v2tag.h>
#include <taglib/infotag.h>
#include <taglib/mp4file.h>
#include <taglib/mpcfile.h>
#include <taglib/mpegfile.h>
#include <taglib/oggflacfile.h>
#include <taglib/opusfile.h>
#include <taglib/relativevolumeframe.h>
#include <taglib/speexfile.h>
#include <taglib/tdebuglistener.h>
#include <taglib/tfilestream.h>
#include <taglib/tpropertymap.h>
#include <taglib/trueaudiofile.h>
#include <taglib/vorbisfile.h>
#include <taglib/wavfile.h>
#include <taglib/wavpackfile.h>
#include <taglib/xiphcomment.h>

#include <algorithm>
#include <string>

using namespace TagLib;

namespace {

/// A file read in bounded pieces and only so much in all, whatever sizes it claims to hold.
class BoundedStream : public FileStream {
 public:
  explicit BoundedStream(const char *path) : FileStream(path, true) {}

  ByteVector readBlock(unsigned long length) override {
    length = std::min({length, 32UL << 20, left});
    left -= length;
    return FileStream::readBlock(length);
  }

 private:
  unsigned long left = 96UL << 20;
};

/// TagLib tells of damaged files on stderr otherwise.
class Silence : public DebugListener {
  void printMessage(const String &) override {}
};

struct Sink {
  void *context;
  void (*found)(void *, const char *, const char *);

  void add(const char *key, const String &value) const {
    found(context, key, value.to8Bit(true).c_str());
  }

  void add(const PropertyMap &properties) const {
    for (const auto &[key, values] : properties)
      if (!values.isEmpty()) add(key.to8Bit(true).c_str(), values.toString(", "));
  }

  /// For each kind of tag by its own type, since `properties` is not virtual before TagLib 2.
  template <typename AnyTag>
  void add(const AnyTag *tag) const {
    if (tag) add(tag->properties());
  }

  /// An ID3v2 tag with its RVA2 frames, the standard's own place for gain, as ReplayGain texts.
  void add(const ID3v2::Tag *tag) const {
    if (!tag) return;
    add(tag->properties());
    for (const ID3v2::Frame *frame : tag->frameList("RVA2")) {
      auto volume = dynamic_cast<const ID3v2::RelativeVolumeFrame *>(frame);
      if (!volume) continue;
      auto channel = ID3v2::RelativeVolumeFrame::MasterVolume;
      if (!volume->channels().contains(channel)) continue;
      String gain = String(std::to_string(volume->volumeAdjustment(channel)));
      if (volume->identification().upper() == "ALBUM")
        add("REPLAYGAIN_ALBUM_GAIN", gain);
      else
        add("REPLAYGAIN_TRACK_GAIN", gain);
    }
  }

  /// An MP4 tag with its "----:vendor:name" items by their bare names, ReplayGain among them.
  void add(const MP4::Tag *tag) const {
    if (!tag) return;
    add(tag->properties());
    for (const auto &[name, item] : tag->itemMap()) {
      if (!name.startsWith("----:") || !item.isValid()) continue;
      String bare = name.substr(name.rfind(":") + 1);
      add(bare.upper().to8Bit(true).c_str(), item.toStringList().toString(", "));
    }
  }

  /// ASF attributes outside TagLib's property names, ReplayGain among them.
  void add(const ASF::Tag *tag) const {
    if (!tag) return;
    add(tag->properties());
    for (const auto &[name, values] : tag->attributeListMap())
      if (!values.isEmpty()) add(name.upper().to8Bit(true).c_str(), values.front().toString());
  }
};

void read(IOStream *stream, ctaglib_format format, const Sink &sink) {
  auto frames = ID3v2::FrameFactory::instance();
  switch (format) {
    case CTAGLIB_MPEG: {
      MPEG::File file(stream, frames, false);
      if (file.hasID3v2Tag()) sink.add(file.ID3v2Tag());
      if (file.hasAPETag()) sink.add(file.APETag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      return;
    }
    case CTAGLIB_FLAC: {
      FLAC::File file(stream, frames, false);
      if (file.hasXiphComment()) sink.add(file.xiphComment());
      if (file.hasID3v2Tag()) sink.add(file.ID3v2Tag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      return;
    }
    case CTAGLIB_OGG_FLAC: return sink.add(Ogg::FLAC::File(stream, false).tag());
    case CTAGLIB_OGG_VORBIS: return sink.add(Ogg::Vorbis::File(stream, false).tag());
    case CTAGLIB_OGG_OPUS: return sink.add(Ogg::Opus::File(stream, false).tag());
    case CTAGLIB_OGG_SPEEX: return sink.add(Ogg::Speex::File(stream, false).tag());
    case CTAGLIB_MP4: return sink.add(MP4::File(stream, false).tag());
    case CTAGLIB_WAV: {
      RIFF::WAV::File file(stream, false);
      if (file.hasID3v2Tag()) sink.add(file.ID3v2Tag());
      if (file.hasInfoTag()) sink.add(file.InfoTag());
      return;
    }
    case CTAGLIB_AIFF: {
      RIFF::AIFF::File file(stream, false);
      if (file.hasID3v2Tag()) sink.add(file.tag());
      return;
    }
    case CTAGLIB_ASF: return sink.add(ASF::File(stream, false).tag());
    case CTAGLIB_APE: {
      APE::File file(stream, false);
      if (file.hasAPETag()) sink.add(file.APETag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      return;
    }
    case CTAGLIB_WAVPACK: {
      WavPack::File file(stream, false);
      if (file.hasAPETag()) sink.add(file.APETag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      return;
    }
    case CTAGLIB_MUSEPACK: {
      MPC::File file(stream, false);
      if (file.hasAPETag()) sink.add(file.APETag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      return;
    }
    case CTAGLIB_TRUE_AUDIO: {
      TrueAudio::File file(stream, frames, false);
      if (file.hasID3v2Tag()) sink.add(file.ID3v2Tag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      return;
    }
  }
}

}  // namespace

void ctaglib_read(const char *path, enum ctaglib_format format, void *context,
                  void (*found)(void *context, const char *key, const char *value)) try {
  static const bool silenced = (setDebugListener(new Silence), true);
  (void)silenced;
  BoundedStream stream(path);
  if (stream.isOpen()) read(&stream, format, Sink{context, found});
} catch (...) {
  // What was found before the failure has been reported; the rest of the file can't be read.
}
