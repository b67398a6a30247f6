#include "shim.h"

#include "stream.h"
#include "text.h"

#include <taglib/aifffile.h>
#include <taglib/apefile.h>
#include <taglib/apetag.h>
#include <taglib/asffile.h>
#include <taglib/commentsframe.h>
#include <taglib/attachedpictureframe.h>
#include <taglib/flacfile.h>
#include <taglib/id3v1genres.h>
#include <taglib/id3v1tag.h>
#include <taglib/id3v2framefactory.h>
#include <taglib/mp4file.h>
#include <taglib/mpcfile.h>
#include <taglib/mpegfile.h>
#include <taglib/oggflacfile.h>
#include <taglib/opusfile.h>
#include <taglib/relativevolumeframe.h>
#include <taglib/speexfile.h>
#include <taglib/textidentificationframe.h>
#include <taglib/tpropertymap.h>
#include <taglib/trueaudiofile.h>
#include <taglib/vorbisfile.h>
#include <taglib/wavfile.h>
#include <taglib/wavpackfile.h>
#include <taglib/xiphcomment.h>

#include <string>
#include <unordered_map>

using namespace TagLib;

namespace {

/// TagLib's names of properties, and those that other programs are known to write.
const std::unordered_map<std::string, ctaglib_key> keys{
    {"TITLE", CTAGLIB_TITLE},
    {"ARTIST", CTAGLIB_ARTIST},
    {"ALBUM", CTAGLIB_ALBUM},
    {"ALBUMARTIST", CTAGLIB_ALBUM_ARTIST},
    {"ALBUM ARTIST", CTAGLIB_ALBUM_ARTIST},
    {"ALBUM_ARTIST", CTAGLIB_ALBUM_ARTIST},
    {"COMPOSER", CTAGLIB_COMPOSER},
    {"GENRE", CTAGLIB_GENRE},
    {"DATE", CTAGLIB_DATE},
    {"YEAR", CTAGLIB_DATE},
    {"TRACKNUMBER", CTAGLIB_TRACK},
    {"TRACK", CTAGLIB_TRACK},
    {"TRACKTOTAL", CTAGLIB_TRACK_TOTAL},
    {"TOTALTRACKS", CTAGLIB_TRACK_TOTAL},
    {"DISCNUMBER", CTAGLIB_DISC},
    {"DISC", CTAGLIB_DISC},
    {"DISCTOTAL", CTAGLIB_DISC_TOTAL},
    {"TOTALDISCS", CTAGLIB_DISC_TOTAL},
    {"COMPILATION", CTAGLIB_COMPILATION},
    {"ITUNESCOMPILATION", CTAGLIB_COMPILATION},
    {"COMMENT", CTAGLIB_COMMENT},
    {"DESCRIPTION", CTAGLIB_COMMENT},
    {"LYRICS", CTAGLIB_LYRICS},
    {"UNSYNCEDLYRICS", CTAGLIB_LYRICS},
    {"BPM", CTAGLIB_BPM},
    {"TITLESORT", CTAGLIB_TITLE_SORT},
    {"ARTISTSORT", CTAGLIB_ARTIST_SORT},
    {"ALBUMSORT", CTAGLIB_ALBUM_SORT},
    {"ALBUMARTISTSORT", CTAGLIB_ALBUM_ARTIST_SORT},
    {"COMPOSERSORT", CTAGLIB_COMPOSER_SORT},
    {"PODCAST", CTAGLIB_PODCAST},
    {"REPLAYGAIN_TRACK_GAIN", CTAGLIB_TRACK_GAIN},
    {"REPLAYGAIN_TRACK_PEAK", CTAGLIB_TRACK_PEAK},
    {"REPLAYGAIN_ALBUM_GAIN", CTAGLIB_ALBUM_GAIN},
    {"REPLAYGAIN_ALBUM_PEAK", CTAGLIB_ALBUM_PEAK},
    {"R128_TRACK_GAIN", CTAGLIB_R128_TRACK_GAIN},
    {"R128_ALBUM_GAIN", CTAGLIB_R128_ALBUM_GAIN},
    {"ITUNSMPB", CTAGLIB_SMPB},
};

/// Text frames by their IDs (ID3v2.4 frames, section 4.2); TagLib brings older tags to these.
const std::unordered_map<std::string, ctaglib_key> textFrames{
    {"TIT2", CTAGLIB_TITLE},
    {"TPE1", CTAGLIB_ARTIST},
    {"TALB", CTAGLIB_ALBUM},
    {"TPE2", CTAGLIB_ALBUM_ARTIST},
    {"TCOM", CTAGLIB_COMPOSER},
    {"TCON", CTAGLIB_GENRE},
    {"TDRC", CTAGLIB_DATE},
    {"TRCK", CTAGLIB_TRACK},
    {"TPOS", CTAGLIB_DISC},
    {"TCMP", CTAGLIB_COMPILATION},
    {"TBPM", CTAGLIB_BPM},
    {"TSOT", CTAGLIB_TITLE_SORT},
    {"TSOP", CTAGLIB_ARTIST_SORT},
    {"TSOA", CTAGLIB_ALBUM_SORT},
    {"TSO2", CTAGLIB_ALBUM_ARTIST_SORT},
    {"TSOC", CTAGLIB_COMPOSER_SORT},
};

struct Sink {
  void *context;
  void (*found)(void *, ctaglib_key, const char *, size_t);
  ctaglib_sound *sound;
  bool hasSound = false;

  void add(ctaglib_key key, const std::string &text) const { found(context, key, text.data(), text.size()); }

  void add(ctaglib_key key, const String &value) const { add(key, value.to8Bit(true)); }

  /// All of one tag has been told.
  void end() const { found(context, CTAGLIB_KEYS, "", 0); }

  void add(const String &name, const StringList &values) const {
    auto key = keys.find(name.to8Bit());
    if (key == keys.end()) return;
    for (const auto &value : values) add(key->second, value);
  }

  void add(const PropertyMap &properties) const {
    for (const auto &[name, values] : properties) add(name, values);
  }

  /// For each kind of tag by its own type, since `properties` is not virtual before TagLib 2.
  template <typename AnyTag>
  void add(const AnyTag *tag) const {
    if (!tag) return;
    add(tag->properties());
    end();
  }

  /// Frame by frame: `properties` makes a map of copies of all there is, a third of a scan's time.
  void addTexts(const ID3v2::Tag *tag) const {
    for (const auto &[id, list] : tag->frameListMap()) {
      auto key = textFrames.find(std::string(id.data(), id.size()));
      for (const ID3v2::Frame *frame : list) {
        if (key != textFrames.end()) {
          if (auto text = dynamic_cast<const ID3v2::TextIdentificationFrame *>(frame))
            for (const auto &value : text->fieldList()) add(key->second, value);
        } else if (auto text = dynamic_cast<const ID3v2::UserTextIdentificationFrame *>(frame)) {
          StringList values = text->fieldList();
          if (!values.isEmpty()) values.erase(values.begin());  // the description
          add(text->description().upper(), values);
        } else if (auto comment = dynamic_cast<const ID3v2::CommentsFrame *>(frame)) {
          String name = comment->description().upper();
          if (name.isEmpty() || name == "COMMENT") add(CTAGLIB_COMMENT, comment->text());
        }
      }
    }
  }

  /// A tag that has been looked through: its text straight from the bytes at hand.
  ///
  /// TagLib makes twenty objects of each frame, which is a fifth of a scan's time.
  void add(LookedThrough &tag, const uint8_t *bytes) const {
    // Frames of one name follow each other, and TXXX comes after the names that are the standard's.
    std::stable_sort(tag.frames.begin(), tag.frames.end(),
                     [](const TagFrame &a, const TagFrame &b) { return a.id < b.id; });
    std::string date, dayAndMonth, time;
    for (const auto &frame : tag.frames) {
      const uint8_t *body = bytes + frame.start + 1, *end = bytes + frame.start + frame.size;
      auto each = [&](const uint8_t *start, auto found) { eachText(body[-1], start, end, found); };
      auto first = [&](std::string &text) {
        each(body, [&](int number, const std::string &value) { if (number == 0) text = value; });
      };
      auto key = textFrames.find(frame.id);
      if (key != textFrames.end()) {
        each(body, [&](int, const std::string &value) { add(key->second, value); });
      } else if (frame.id == "TXXX" || (frame.id == "COMM" && frame.size > 4)) {
        // A description, then values; a comment's language stands before both.
        bool isComment = frame.id == "COMM";
        auto kind = keys.end();
        each(body + (isComment ? 3 : 0), [&](int number, const std::string &value) {
          if (number > 0) {
            if (kind != keys.end() && (number == 1 || !isComment)) add(kind->second, value);
            return;
          }
          std::string name = value;
          for (auto &letter : name) letter -= letter >= 'a' && letter <= 'z' ? 32 : 0;
          if (isComment && name.empty()) name = "COMMENT";
          if (!isComment || name == "COMMENT") kind = keys.find(name);
        });
      } else if (frame.id == "TYER") {
        first(date);
      } else if (frame.id == "TDAT") {
        first(dayAndMonth);
      } else if (frame.id == "TIME") {
        first(time);
      } else if (frame.id == "APIC") {
        add(CTAGLIB_PICTURE, std::string());
      } else if (frame.id == "USLT") {
        add(CTAGLIB_LYRICS, std::string("1"));
      } else if (frame.id == "PCST") {
        add(CTAGLIB_PODCAST, std::string("1"));
      }
    }
    // As ID3v2.4 has it in one frame: YYYY, DDMM and HHMM (ID3v2.3, 4.2.1).
    if (date.size() == 4 && dayAndMonth.size() == 4) {
      date += "-" + dayAndMonth.substr(2) + "-" + dayAndMonth.substr(0, 2);
      if (time.size() == 4) date += "T" + time.substr(0, 2) + ":" + time.substr(2);
    }
    add(CTAGLIB_DATE, date);
    end();
  }

  void add(const ID3v1::Tag *tag) const {
    if (!tag) return;
    add(CTAGLIB_TITLE, tag->title());
    add(CTAGLIB_ARTIST, tag->artist());
    add(CTAGLIB_ALBUM, tag->album());
    add(CTAGLIB_GENRE, tag->genre());
    add(CTAGLIB_COMMENT, tag->comment());
    if (tag->year()) add(CTAGLIB_DATE, String::number(int(tag->year())));
    if (tag->track()) add(CTAGLIB_TRACK, String::number(int(tag->track())));
    end();
  }

  /// An ID3v2 tag with its RVA2 frames, the standard's own place for gain, as ReplayGain texts.
  void add(const ID3v2::Tag *tag) const {
    if (!tag) return;
    addTexts(tag);
    if (!tag->frameList("APIC").isEmpty()) add(CTAGLIB_PICTURE, String());
    if (!tag->frameList("USLT").isEmpty()) add(CTAGLIB_LYRICS, String("1"));
    if (!tag->frameList("PCST").isEmpty()) add(CTAGLIB_PODCAST, String("1"));
    for (const ID3v2::Frame *frame : tag->frameList("RVA2")) {
      auto volume = dynamic_cast<const ID3v2::RelativeVolumeFrame *>(frame);
      if (!volume) continue;
      auto channel = ID3v2::RelativeVolumeFrame::MasterVolume;
      if (!volume->channels().contains(channel)) continue;
      bool isAlbum = volume->identification().upper() == "ALBUM";
      add(isAlbum ? CTAGLIB_ALBUM_GAIN : CTAGLIB_TRACK_GAIN,
          String(std::to_string(volume->volumeAdjustment(channel))));
    }
    end();
  }

  /// An INFO list with the track as it is written, "3/12" perhaps, of which TagLib takes the number.
  void add(const RIFF::Info::Tag *tag) const {
    if (!tag) return;
    String track = tag->fieldText("IPRT");
    if (!track.isEmpty()) add(CTAGLIB_TRACK, track);
    PropertyMap properties = tag->properties();
    if (!track.isEmpty()) properties.erase("TRACKNUMBER");
    add(properties);
    end();
  }

  void add(const Ogg::XiphComment *tag) const {
    if (!tag) return;
    for (const auto &[name, values] : tag->fieldListMap()) add(name, values);
    if (!const_cast<Ogg::XiphComment *>(tag)->pictureList().isEmpty()) add(CTAGLIB_PICTURE, String());
    end();
  }

  void add(const APE::Tag *tag) const {
    if (!tag) return;
    add(tag->properties());
    for (const auto &[name, item] : tag->itemListMap())
      if (name.startsWith("COVER ART")) add(CTAGLIB_PICTURE, String());
    end();
  }

  /// An MP4 tag with its "----:vendor:name" items by their bare names, ReplayGain among them.
  void add(const MP4::Tag *tag) const {
    if (!tag) return;
    add(tag->properties());
    for (const auto &[name, item] : tag->itemMap()) {
      if (!item.isValid()) continue;
      if (name.startsWith("----:"))
        add(name.substr(name.rfind(":") + 1).upper(), item.toStringList());
      else if (name == "covr")
        add(CTAGLIB_PICTURE, String());
      else if (name == "stik")
        add(CTAGLIB_MEDIA_KIND, String::number(item.toByte()));
      else if (name == "pcst" && item.toBool())
        add(CTAGLIB_PODCAST, String("1"));
    }
    end();
  }

  /// ASF attributes outside TagLib's property names, ReplayGain among them.
  void add(const ASF::Tag *tag) const {
    if (!tag) return;
    const PropertyMap properties = tag->properties();
    add(properties);
    for (const auto &[name, values] : tag->attributeListMap()) {
      // FFmpeg writes a title twice: where it belongs, and under a name of its own.
      if (values.isEmpty() || properties.contains(name)) continue;
      if (name == "WM/Picture")
        add(CTAGLIB_PICTURE, String());
      else
        add(name.upper(), StringList(values.front().toString()));
    }
    end();
  }

  template <typename Properties>
  void heard(const Properties *properties) {
    if (!properties || properties->sampleRate() <= 0) return;
    hasSound = true;
    sound->milliseconds = properties->lengthInMilliseconds();
    sound->rate = properties->sampleRate();
    sound->channels = properties->channels();
    sound->bitrate = properties->bitrate();
  }

  template <typename Properties>
  void heardExactly(const Properties *properties) {
    heard(properties);
    if (hasSound) sound->frames = properties->sampleFrames();
  }

  template <typename Properties>
  void heardWithBits(const Properties *properties) {
    heardExactly(properties);
    if (hasSound) sound->bits = properties->bitsPerSample();
  }
};

void read(IOStream *stream, ctaglib_format format, Sink &sink) {
  auto frames = ID3v2::FrameFactory::instance();
  switch (format) {
    case CTAGLIB_MPEG: {
      MPEG::File file(stream, frames);
      if (file.hasID3v2Tag()) sink.add(file.ID3v2Tag());
      if (file.hasAPETag()) sink.add(file.APETag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      return sink.heard(file.audioProperties());
    }
    case CTAGLIB_FLAC: {
      FLAC::File file(stream, frames);
      if (file.hasXiphComment()) sink.add(file.xiphComment());
      if (file.hasID3v2Tag()) sink.add(file.ID3v2Tag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      if (!file.pictureList().isEmpty()) sink.add(CTAGLIB_PICTURE, String());
      return sink.heardWithBits(file.audioProperties());
    }
    case CTAGLIB_OGG_FLAC: {
      Ogg::FLAC::File file(stream);
      sink.add(file.tag());
      return sink.heardWithBits(file.audioProperties());
    }
    case CTAGLIB_OGG_VORBIS: {
      Ogg::Vorbis::File file(stream);
      sink.add(file.tag());
      return sink.heard(file.audioProperties());
    }
    case CTAGLIB_OGG_OPUS: {
      Ogg::Opus::File file(stream);
      sink.add(file.tag());
      return sink.heard(file.audioProperties());
    }
    case CTAGLIB_OGG_SPEEX: {
      Ogg::Speex::File file(stream);
      sink.add(file.tag());
      return sink.heard(file.audioProperties());
    }
    case CTAGLIB_MP4: {
      MP4::File file(stream);
      sink.add(file.tag());
      sink.heard(file.audioProperties());
      if (sink.hasSound) sink.sound->bits = file.audioProperties()->bitsPerSample();
      return;
    }
    case CTAGLIB_WAV: {
      RIFF::WAV::File file(stream);
      if (file.hasID3v2Tag()) sink.add(file.ID3v2Tag());
      if (file.hasInfoTag()) sink.add(file.InfoTag());
      return sink.heardWithBits(file.audioProperties());
    }
    case CTAGLIB_AIFF: {
      RIFF::AIFF::File file(stream);
      if (file.hasID3v2Tag()) sink.add(file.tag());
      return sink.heardWithBits(file.audioProperties());
    }
    case CTAGLIB_ASF: {
      ASF::File file(stream);
      sink.add(file.tag());
      sink.heard(file.audioProperties());
      if (sink.hasSound) sink.sound->bits = file.audioProperties()->bitsPerSample();
      return;
    }
    case CTAGLIB_APE: {
      APE::File file(stream);
      if (file.hasAPETag()) sink.add(file.APETag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      return sink.heardWithBits(file.audioProperties());
    }
    case CTAGLIB_WAVPACK: {
      WavPack::File file(stream);
      if (file.hasAPETag()) sink.add(file.APETag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      return sink.heardWithBits(file.audioProperties());
    }
    case CTAGLIB_MUSEPACK: {
      MPC::File file(stream);
      if (file.hasAPETag()) sink.add(file.APETag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      return sink.heardExactly(file.audioProperties());
    }
    case CTAGLIB_TRUE_AUDIO: {
      TrueAudio::File file(stream, frames);
      if (file.hasID3v2Tag()) sink.add(file.ID3v2Tag());
      if (file.hasID3v1Tag()) sink.add(file.ID3v1Tag());
      return sink.heardWithBits(file.audioProperties());
    }
  }
}

/// Hands pictures over until one is taken.
struct Gallery {
  void *context;
  bool (*found)(void *, int, const uint8_t *, size_t);

  bool add(int type, const ByteVector &bytes) const {
    return !bytes.isEmpty() && found(context, type, reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  }

  bool add(const ID3v2::Tag *tag) const {
    if (!tag) return false;
    for (const ID3v2::Frame *frame : tag->frameList("APIC"))
      if (auto picture = dynamic_cast<const ID3v2::AttachedPictureFrame *>(frame))
        if (add(picture->type(), picture->picture())) return true;
    return false;
  }

  bool add(const List<FLAC::Picture *> &pictures) const {
    for (const FLAC::Picture *picture : pictures)
      if (add(picture->type(), picture->data())) return true;
    return false;
  }

  bool add(Ogg::XiphComment *tag) const { return tag && add(tag->pictureList()); }

  /// The file's name stands before the bytes, ended by a NUL (APE tag item "Cover Art").
  bool add(const APE::Tag *tag) const {
    if (!tag) return false;
    for (const auto &[name, item] : tag->itemListMap()) {
      if (!name.startsWith("COVER ART")) continue;
      ByteVector bytes = item.binaryData();
      int end = bytes.find('\0');
      if (add(name == "COVER ART (FRONT)" ? 3 : -1, end < 0 ? bytes : bytes.mid(end + 1))) return true;
    }
    return false;
  }

  bool add(const MP4::Tag *tag) const {
    if (!tag || !tag->contains("covr")) return false;
    for (const auto &cover : tag->item("covr").toCoverArtList())
      if (add(-1, cover.data())) return true;
    return false;
  }

  bool add(const ASF::Tag *tag) const {
    if (!tag) return false;
    for (const auto &attribute : tag->attribute("WM/Picture")) {
      auto picture = attribute.toPicture();
      if (picture.isValid() && add(picture.type(), picture.picture())) return true;
    }
    return false;
  }
};

void show(IOStream *stream, ctaglib_format format, const Gallery &gallery) {
  auto frames = ID3v2::FrameFactory::instance();
  switch (format) {
    case CTAGLIB_MPEG: {
      MPEG::File file(stream, frames, false);
      if (!file.hasID3v2Tag() || !gallery.add(file.ID3v2Tag()))
        if (file.hasAPETag()) gallery.add(file.APETag());
      return;
    }
    case CTAGLIB_FLAC: {
      FLAC::File file(stream, frames, false);
      if (!gallery.add(file.pictureList()) && file.hasID3v2Tag()) gallery.add(file.ID3v2Tag());
      return;
    }
    case CTAGLIB_OGG_FLAC: { gallery.add(Ogg::FLAC::File(stream, false).tag()); return; }
    case CTAGLIB_OGG_VORBIS: { gallery.add(Ogg::Vorbis::File(stream, false).tag()); return; }
    case CTAGLIB_OGG_OPUS: { gallery.add(Ogg::Opus::File(stream, false).tag()); return; }
    case CTAGLIB_OGG_SPEEX: { gallery.add(Ogg::Speex::File(stream, false).tag()); return; }
    case CTAGLIB_MP4: { gallery.add(MP4::File(stream, false).tag()); return; }
    case CTAGLIB_WAV: { gallery.add(RIFF::WAV::File(stream, false).ID3v2Tag()); return; }
    case CTAGLIB_AIFF: { gallery.add(RIFF::AIFF::File(stream, false).tag()); return; }
    case CTAGLIB_ASF: { gallery.add(ASF::File(stream, false).tag()); return; }
    case CTAGLIB_APE: { gallery.add(APE::File(stream, false).APETag()); return; }
    case CTAGLIB_WAVPACK: { gallery.add(WavPack::File(stream, false).APETag()); return; }
    case CTAGLIB_MUSEPACK: { gallery.add(MPC::File(stream, false).APETag()); return; }
    case CTAGLIB_TRUE_AUDIO: { gallery.add(TrueAudio::File(stream, frames, false).ID3v2Tag()); return; }
  }
}

}  // namespace

bool ctaglib_read(const ctaglib_file *file, ctaglib_format format, void *context,
                  void (*found)(void *, ctaglib_key, const char *, size_t), ctaglib_sound *sound) {
  Sink sink{context, found, sound};
  try {
    setUp();
    LookedThrough tag = lookedThrough(file);
    const bool isTaken = format == CTAGLIB_MPEG && tag.end > 0;
    if (isTaken) sink.add(tag, file->blocks[0].bytes);
    BlockStream stream(file, tag.gaps, isTaken ? tag.end : 0);
    read(&stream, format, sink);
  } catch (...) {
    // What was found before the failure has been reported; the rest of the file can't be read.
  }
  return sink.hasSound;
}

void ctaglib_pictures(const ctaglib_file *file, ctaglib_format format, void *context,
                      bool (*found)(void *, int, const uint8_t *, size_t)) try {
  setUp();
  BlockStream stream(file);
  show(&stream, format, Gallery{context, found});
} catch (...) {
  // As above.
}

const char *ctaglib_genre(int number) {
  thread_local std::string name;
  name = ID3v1::genre(number).to8Bit(true);
  return name.c_str();
}
