#!/usr/bin/env python3
"""Makes a stick full of music as people have it: many tag formats, encodings and oddities.

  stick.py FOLDER [--files 10000] [--seed 1] [--big KILOBYTES] [--seconds N]

FOLDER/music gets the files, FOLDER/manifest.tsv one line for each: its path, its kind, whether it is music, and what
its tags say as NAME=VALUE, all divided by tabs and several values by U+001F. The tags are written here, byte by byte from the formats' specifications, and the sound in the files is one
piece by each format's own encoder. The same seed makes the same stick.
Needs flac, oggenc, opusenc, lame, ffmpeg.
"""
import argparse
import base64
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import unicodedata
import urllib.parse
import zlib


# MARK: - Sound: one short silence in each format

def sounds(folder, seconds):
    """Format name -> the bytes of a file without tags, by the format's own encoder; noise, if it is to be long."""
    folder = pathlib.Path(folder)
    wav = folder / "silence.wav"
    data = bytes(22050 * 2 // 5)  # a fifth of a second, 16-bit mono
    if seconds:
        noise = random.Random(1)
        data = struct.pack(f"<{22050 * seconds}h", *(noise.randrange(-3000, 3000) for _ in range(22050 * seconds)))
    wav.write_bytes(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt "
                    + struct.pack("<IHHIIHH", 16, 1, 1, 22050, 44100, 2, 16)
                    + b"data" + struct.pack("<I", len(data)) + data)

    def made(name, *command):
        target = folder / name
        subprocess.run([str(word) for word in command] + ([str(target)] if "-o" not in command else []),
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return target.read_bytes()

    found = {"wav": wav.read_bytes()}
    found["mp3"] = made("a.mp3", "lame", "--quiet", "-b", "128" if seconds else "32", "--cbr", wav)
    found["flac"] = made("a.flac", "flac", "-s", "--no-padding", "--no-seektable", "-o", folder / "a.flac", wav)
    found["ogg"] = made("a.ogg", "oggenc", "-Q", "-o", folder / "a.ogg", wav)
    found["opus"] = made("a.opus", "opusenc", "--quiet", wav)
    for name, words in {"m4a": ["-c:a", "aac"], "aiff": [], "wma": ["-c:a", "wmav2"], "wv": ["-c:a", "wavpack"]}.items():
        found[name] = made(f"a.{name}", "ffmpeg", "-v", "error", "-y", "-i", wav, "-map_metadata", "-1",
                           "-fflags", "+bitexact", *words)
    return found


# MARK: - Tags, by their specifications

def syncsafe(size):
    return bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0))


def id3_text(text, encoding):
    """The encoding's number and the text in it (ID3v2.4 structure, 4)."""
    marks = {"latin-1": b"\0", "utf-16": b"\1\xff\xfe", "utf-16-be": b"\2", "utf-8": b"\3"}
    if encoding == "utf-16":
        return marks[encoding] + text.encode("utf-16-le")
    if encoding == "utf-16 without mark":
        return b"\1" + text.encode("utf-16-le")
    if encoding in marks:
        return marks[encoding] + text.encode(encoding)
    return b"\0" + text.encode(encoding)  # a code page in Latin-1's place


ID3_NAMES = {"title": "TIT2", "artist": "TPE1", "album": "TALB", "albumartist": "TPE2", "composer": "TCOM",
             "genre": "TCON", "track": "TRCK", "disc": "TPOS", "bpm": "TBPM", "compilation": "TCMP",
             "titlesort": "TSOT", "artistsort": "TSOP"}
ID3_SHORT = {"title": "TT2", "artist": "TP1", "album": "TAL", "albumartist": "TP2", "composer": "TCM",
             "genre": "TCO", "track": "TRK", "disc": "TPA", "bpm": "TBP", "compilation": "TCP", "date": "TYE"}


def id3v2(tags, version, encoding, unsynchronised=False, picture=None, padding=0, joiner="\0"):
    """A tag of version 2, 3 or 4 (the three ID3v2 documents' section 3)."""
    frames = b""
    for name, value in tags.items():
        values = value if isinstance(value, list) else [value]
        if name == "date":
            key = {2: "TYE", 3: "TYER", 4: "TDRC"}[version]
            values = [v[:4] if version < 4 else v for v in values]
        elif name == "comment":
            body = id3_text("", encoding)[:1] + b"eng"
            plain = encoding in ("latin-1", "utf-8") or not encoding.startswith("utf-16")
            end = b"\0" if plain else b"\0\0" if encoding != "utf-16" else b"\xff\xfe\0\0"
            frames += id3_frame({2: "COM"}.get(version, "COMM"), version,
                                body + end + id3_text(values[0], encoding)[1:], unsynchronised)
            continue
        else:
            key = (ID3_SHORT if version == 2 else ID3_NAMES).get(name)
        if key:
            frames += id3_frame(key, version, id3_text(joiner.join(values), encoding), unsynchronised)
    if picture:
        body = (b"\0PNG\3\0" if version == 2 else b"\0image/png\0\3\0") + picture
        frames += id3_frame("PIC" if version == 2 else "APIC", version, body, unsynchronised)
    flags = 0x80 if unsynchronised else 0
    if unsynchronised and version < 4:
        frames = unsynchronise(frames)
    return b"ID3" + bytes([version, 0, flags]) + syncsafe(len(frames) + padding) + frames + bytes(padding)


def unsynchronise(data):
    """A zero after each 255 that could look like the start of sound (ID3v2.4 structure, 6.1)."""
    out = bytearray()
    for index, byte in enumerate(data):
        out.append(byte)
        following = data[index + 1] if index + 1 < len(data) else 0
        if byte == 0xFF and (following >= 0xE0 or following == 0):
            out.append(0)
    return bytes(out)


def id3_frame(key, version, body, unsynchronised):
    if version == 2:
        return key.encode() + struct.pack(">I", len(body))[1:] + body
    if version == 3:
        return key.encode() + struct.pack(">I", len(body)) + b"\0\0" + body
    if unsynchronised:
        plain, body = body, unsynchronise(body)
        return key.encode() + syncsafe(len(body) + 4) + b"\0\3" + syncsafe(len(plain)) + body
    return key.encode() + syncsafe(len(body)) + b"\0\0" + body


def id3v1(tags, encoding="latin-1"):
    """The last 128 bytes, of version 1.1."""
    def field(name, size):
        return tags.get(name, "").encode(encoding, "replace")[:size].ljust(size, b"\0")
    track = int(str(tags.get("track", "0")).split("/")[0])
    return (b"TAG" + field("title", 30) + field("artist", 30) + field("album", 30) + field("date", 4)
            + field("comment", 28) + bytes([0, track, tags.get("genrenumber", 255)]))


APE_NAMES = {"title": "Title", "artist": "Artist", "album": "Album", "albumartist": "Album Artist",
             "composer": "Composer", "genre": "Genre", "track": "Track", "disc": "Disc", "date": "Year",
             "comment": "Comment", "compilation": "Compilation"}


def ape(tags):
    """APEv2, with header and footer; several values are divided by NUL."""
    body, count = b"", 0
    for name, value in tags.items():
        if name not in APE_NAMES:
            continue
        text = "\0".join(value if isinstance(value, list) else [value]).encode()
        body += struct.pack("<II", len(text), 0) + APE_NAMES[name].encode() + b"\0" + text
        count += 1

    def edge(flags):
        return b"APETAGEX" + struct.pack("<IIII", 2000, len(body) + 32, count, flags) + bytes(8)
    return edge(0xA0000000) + body + edge(0x80000000)


VORBIS_NAMES = {"title": "TITLE", "artist": "ARTIST", "album": "ALBUM", "albumartist": "ALBUMARTIST",
                "composer": "COMPOSER", "genre": "GENRE", "track": "TRACKNUMBER", "disc": "DISCNUMBER",
                "date": "DATE", "comment": "COMMENT", "compilation": "COMPILATION", "bpm": "BPM",
                "trackgain": "REPLAYGAIN_TRACK_GAIN", "titlesort": "TITLESORT", "artistsort": "ARTISTSORT"}


def vorbis_comment(tags, picture=None):
    """The Vorbis comment header's body (Vorbis I, 5.2.1), without a framing bit."""
    entries = []
    for name, value in tags.items():
        for one in value if isinstance(value, list) else [value]:
            if name in VORBIS_NAMES:
                entries.append(f"{VORBIS_NAMES[name]}={one}".encode())
    if picture:
        entries.append(b"METADATA_BLOCK_PICTURE=" + base64.b64encode(flac_picture(picture)))
    vendor = b"stick"
    return (struct.pack("<I", len(vendor)) + vendor + struct.pack("<I", len(entries))
            + b"".join(struct.pack("<I", len(entry)) + entry for entry in entries))


def flac_picture(picture):
    """A PICTURE block's body: type 3, the front cover (RFC 9639, 8.8)."""
    mime = b"image/png"
    return (struct.pack(">II", 3, len(mime)) + mime + struct.pack(">IIIII", 0, 1, 1, 24, 0)
            + struct.pack(">I", len(picture)) + picture)


def flac(sound, tags, picture=None):
    """The stream's first block, ours, and the frames (RFC 9639, 8.1)."""
    place, blocks = 4, []
    while True:
        head = sound[place]
        size = int.from_bytes(sound[place + 1:place + 4], "big")
        blocks.append((head & 0x7F, sound[place + 4:place + 4 + size]))
        place += 4 + size
        if head & 0x80:
            break
    kept = [block for block in blocks if block[0] == 0] + [(4, vorbis_comment(tags))]
    if picture:
        kept.append((6, flac_picture(picture)))
    out = b"fLaC"
    for index, (kind, body) in enumerate(kept):
        out += bytes([kind | (0x80 if index == len(kept) - 1 else 0)]) + len(body).to_bytes(3, "big") + body
    return out + sound[place:]


def ogg_crc(page):
    """RFC 3533's checksum: polynomial 0x04C11DB7, nothing reflected."""
    crc = 0
    for byte in page:
        crc = (crc << 8 & 0xFFFFFFFF) ^ OGG_TABLE[crc >> 24 ^ byte]
    return crc


OGG_TABLE = []
for number in range(256):
    value = number << 24
    for _ in range(8):
        value = (value << 1 & 0xFFFFFFFF) ^ (0x04C11DB7 if value & 0x80000000 else 0)
    OGG_TABLE.append(value)


def ogg(sound, tags, opus=False):
    """Puts our comment packet in the second packet's place; pages after it are numbered anew."""
    pages, place = [], 0
    while place < len(sound):
        segments = sound[place + 26]
        table = sound[place + 27:place + 27 + segments]
        end = place + 27 + segments + sum(table)
        pages.append((sound[place:place + 27], table, sound[place + 27 + segments:end]))
        place = end
    packets, current, used = [], b"", 1
    for head, table, body in pages[1:]:
        offset = 0
        for lacing in table:
            current += body[offset:offset + lacing]
            offset += lacing
            if lacing < 255:
                packets.append(current)
                current = b""
        used += 1
        if len(packets) >= (1 if opus else 2) and not current:
            break
    comment = (b"OpusTags" if opus else b"\3vorbis") + vorbis_comment(tags) + (b"" if opus else b"\1")
    serial = pages[0][0][14:18]
    out = page_bytes(pages[0][0][:5], pages[0][0][5], 0, serial, 0, pages[0][1], pages[0][2])
    number = 1
    lacings, body = [], b""
    for packet in [comment, *packets[1:(1 if opus else 2)]]:
        lacings += [255] * (len(packet) // 255) + [len(packet) % 255]
        body += packet
    offset = 0
    while lacings:
        part, lacings = lacings[:255], lacings[255:]
        size = sum(part)
        out += page_bytes(b"OggS\0", 1 if offset else 0, 0, serial, number, bytes(part), body[offset:offset + size])
        offset += size
        number += 1
    if number == used:  # they are numbered so already
        return out + b"".join(head + table + body for head, table, body in pages[used:])
    for head, table, body in pages[used:]:
        out += page_bytes(head[:5], head[5], struct.unpack("<q", head[6:14])[0], serial, number, table, body)
        number += 1
    return out


def page_bytes(start, flags, granule, serial, number, table, body):
    head = start + bytes([flags]) + struct.pack("<q", granule) + serial + struct.pack("<II", number, 0)
    page = head + bytes([len(table)]) + table + body
    return page[:22] + struct.pack("<I", ogg_crc(page)) + page[26:]


MP4_NAMES = {"title": b"\xa9nam", "artist": b"\xa9ART", "album": b"\xa9alb", "albumartist": b"aART",
             "composer": b"\xa9wrt", "genre": b"\xa9gen", "date": b"\xa9day", "comment": b"\xa9cmt",
             "titlesort": b"sonm", "artistsort": b"soar"}


def atom(name, body):
    return struct.pack(">I", len(body) + 8) + name + body


def mp4(sound, tags, picture=None):
    """Puts moov/udta/meta/ilst at the end of a moov that stands last (QuickTime's atoms, iTunes' items)."""
    items = b""
    for name, value in tags.items():
        for one in value if isinstance(value, list) else [value]:
            if name in MP4_NAMES:
                items += atom(MP4_NAMES[name], atom(b"data", b"\0\0\0\1\0\0\0\0" + one.encode()))
            elif name in ("track", "disc"):
                first, _, total = one.partition("/")
                numbers = struct.pack(">HHH", 0, int(first), int(total or 0)) + (b"\0\0" if name == "track" else b"")
                items += atom(b"trkn" if name == "track" else b"disk", atom(b"data", bytes(8) + numbers))
            elif name == "compilation":
                items += atom(b"cpil", atom(b"data", b"\0\0\0\x15\0\0\0\0\1"))
            elif name == "bpm":
                items += atom(b"tmpo", atom(b"data", b"\0\0\0\x15\0\0\0\0" + struct.pack(">H", int(one))))
    if picture:
        items += atom(b"covr", atom(b"data", b"\0\0\0\x0e\0\0\0\0" + picture))
    handler = atom(b"hdlr", bytes(8) + b"mdirappl" + bytes(9))
    udta = atom(b"udta", atom(b"meta", bytes(4) + handler + atom(b"ilst", items)))
    place = 0
    while True:
        size, name = struct.unpack(">I4s", sound[place:place + 8])
        if name == b"moov":
            break
        place += size
    inner, moov = place + 8, b""
    while inner < place + size:
        length, name = struct.unpack(">I4s", sound[inner:inner + 8])
        if name != b"udta":
            moov += sound[inner:inner + length]
        inner += length
    return sound[:place] + atom(b"moov", moov + udta) + sound[place + size:]


INFO_NAMES = {"title": b"INAM", "artist": b"IART", "album": b"IPRD", "genre": b"IGNR", "date": b"ICRD",
              "track": b"IPRT", "comment": b"ICMT"}


def chunk(name, body, order="<"):
    return name + struct.pack(order + "I", len(body)) + body + (b"\0" if len(body) % 2 else b"")


def wav(sound, tags, info=None, tag=None):
    """RIFF with a LIST INFO in an encoding, or an "id3 " chunk, or both."""
    body = sound[12:]
    if info:
        items = b"".join(chunk(INFO_NAMES[name], value.encode(info) + b"\0")
                         for name, value in tags.items() if name in INFO_NAMES)
        body += chunk(b"LIST", b"INFO" + items)
    if tag:
        body += chunk(b"id3 ", tag)
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WAVE" + body


def aiff(sound, tag):
    body = sound[12:] + chunk(b"ID3 ", tag, ">")
    return b"FORM" + struct.pack(">I", len(body) + 4) + sound[8:12] + body


def guid(text):
    """An ASF GUID's bytes, from its written form (ASF specification, 2.1)."""
    a, b, c, d, e = text.split("-")
    return struct.pack("<IHH", int(a, 16), int(b, 16), int(c, 16)) + bytes.fromhex(d + e)


def asf(sound, tags):
    """Puts a Content Description and an Extended Content Description object into the header (3.10, 3.11)."""
    def wide(text):
        return (text + "\0").encode("utf-16-le")
    fields = [wide(tags.get(name, "")) for name in ("title", "artist")] + [b"", b"", b""]
    plain = struct.pack("<HHHHH", *map(len, fields)) + b"".join(fields)
    names = {"album": "WM/AlbumTitle", "albumartist": "WM/AlbumArtist", "genre": "WM/Genre", "date": "WM/Year",
             "track": "WM/TrackNumber", "composer": "WM/Composer"}
    extended, count = b"", 0
    for name, value in tags.items():
        for one in (value if isinstance(value, list) else [value]) if name in names else []:
            key, text = wide(names[name]), wide(one)
            extended += struct.pack("<H", len(key)) + key + struct.pack("<HH", 0, len(text)) + text
            count += 1
    objects = [(guid("75B22633-668E-11CF-A6D9-00AA0062CE6C"), plain),
               (guid("D2D0A440-E307-11D2-97F0-00A0C95EA850"), struct.pack("<H", count) + extended)]
    size, number = struct.unpack("<QI", sound[16:28])
    kept, place, kept_count = b"", 30, 0
    while place < size:
        length = struct.unpack("<Q", sound[place + 16:place + 24])[0]
        if sound[place:place + 16] not in [name for name, _ in objects]:
            kept += sound[place:place + length]
            kept_count += 1
        place += length
    for name, body in objects:
        kept += name + struct.pack("<Q", len(body) + 24) + body
    return (sound[:16] + struct.pack("<QI", len(kept) + 30, kept_count + len(objects)) + sound[28:30] + kept
            + sound[size:])


def png():
    """One red dot (PNG specification, 2nd edition)."""
    def part(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
            + part(b"IDAT", zlib.compress(b"\0\xff\0\0")) + part(b"IEND", b""))


# MARK: - What people have

NAMES = {
    "plain": "Miles River Stone Garden Night Harbour Silver Morning Wind Train Paper Glass Winter Hollow Echo Lantern".split(),
    "western": "Zwölf Größe Café Être Señor Åse Müller Garçon Fête Naïve Übung Cœur Añejo Skål".split(),
    "cyrillic": "Кино Звезда Группа Крови Песня Ночь Город Весна Дорога Река Солнце Письмо Осень Память".split(),
    "japanese": "夜の街 さくら 東京物語 カラオケ 雨の日 みんなの歌 ひこうき雲 世界の終わり 青い空 ありがとう".split(),
    "chinese": "月亮代表我的心 北京欢迎你 夜来香 茉莉花 你好世界 长江之歌 东方红 我的祖国 春天的故事".split(),
}
GENRES = ["Rock", "Jazz", "Classical", "Folk", "Electronic", "Blues", "Pop", "Soundtrack"]
# The kinds of files and how many of a thousand each is.
KINDS = {
    "id3v2.4 utf-8": 110, "id3v2.4 utf-16": 30, "id3v2.4 utf-16-be": 25, "id3v2.4 unsynchronised": 25,
    "id3v2.3 utf-16": 110, "id3v2.3 latin-1": 60, "id3v2.3 unsynchronised": 20, "id3v2.3 utf-16 without mark": 15,
    "id3v2.2": 30, "id3v1": 30, "id3v1 and 2": 20, "ape on mp3": 20, "several values": 20, "numeric genre": 40,
    "cp1251": 40, "cp1252": 20, "shift-jis": 25, "gbk": 25, "utf-8 as latin-1": 20, "flac": 100, "vorbis": 45,
    "opus": 30, "m4a": 60, "wav info": 15, "wav info cp1251": 8, "wav id3": 12, "aiff": 12, "wma": 15, "wavpack": 10,
    "no tags": 40, "wrong extension": 10, "odd date": 15, "gain": 8,
}


class Stick:
    def __init__(self, folder, files, seed, big, seconds=0):
        self.root = pathlib.Path(folder) / "music"
        self.root.mkdir(parents=True, exist_ok=True)
        self.random = random.Random(seed)
        self.files = files
        self.manifest = []
        self.big = big
        with tempfile.TemporaryDirectory() as work:
            self.sounds = sounds(work, seconds)

    def write(self, path, data):
        target = os.fsencode(self.root) + b"/" + (path if isinstance(path, bytes) else os.fsencode(path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(data)

    def note(self, path, kind, music, tags=None):
        name = path.decode("utf-8", "replace") if isinstance(path, bytes) else path
        self.manifest.append((name, kind, music, tags or {}))

    # MARK: Albums

    def words(self, kind, count):
        return " ".join(self.random.choice(NAMES[kind]) for _ in range(count))

    def album(self, number, tracks, letters, compilation=False):
        artist = self.words(letters, 2) if letters not in ("japanese", "chinese") else self.words(letters, 1)
        title = self.words(letters, 1) + f" {number}"
        year = self.random.randint(1950, 2024)
        genre = self.random.choice(GENRES)
        for track in range(1, tracks + 1):
            tags = {"title": f"{self.words(letters, 1)} {track}",
                    "artist": self.words(letters, 1) + f" {track % 7}" if compilation else artist, "album": title,
                    "track": f"{track}/{tracks}", "date": str(year), "genre": genre}
            if self.random.random() < 0.5 or compilation:
                tags["albumartist"] = "Various Artists" if compilation else artist
            if self.random.random() < 0.3:
                tags["composer"] = self.words(letters, 1) + " Bach"
            if self.random.random() < 0.2:
                tags["disc"] = "1/2"
            yield artist, title, tags

    def make(self):
        kinds = [kind for kind, share in KINDS.items() for _ in range(share)]
        total = sum(KINDS.values())
        number, made = 0, 0
        letters_of = {"cp1251": "cyrillic", "shift-jis": "japanese", "gbk": "chinese", "cp1252": "western",
                      "wav info cp1251": "cyrillic", "utf-8 as latin-1": "cyrillic", "id3v2.3 latin-1": "western",
                      "id3v1": "plain", "id3v2.2": "plain", "no tags": "plain", "numeric genre": "plain"}
        while made < self.files:
            number += 1
            kind = kinds[number * 977 % total]
            count = min(self.files - made, 300 if number == 5 else self.random.randint(8, 14))
            letters = letters_of.get(kind) or self.random.choice(list(NAMES))
            compilation = number % 17 == 0 and kind in ("flac", "id3v2.4 utf-8", "m4a", "id3v2.3 utf-16")
            top = ["Music", "Rips", "Old", "Various/Deep/Deeper"][number % 4]
            for artist, title, tags in self.album(number, count, letters, compilation):
                if kind == "numeric genre":
                    tags["genre"] = "(9)"
                self.track(kind, f"{top}/{'Compilations' if compilation else artist}/{title}", tags, number)
                made += 1
            if number % 6 == 0:
                self.write(f"{top}/{artist}/{title}/cover.jpg", b"\xff\xd8\xff\xe0" + bytes(64))
        self.junk()
        self.lists()
        with open(self.root.parent / "manifest.tsv", "w") as file:
            for path, kind, music, tags in self.manifest:
                values = [f"{name}=" + ("\x1f".join(value) if isinstance(value, list) else str(value))
                          for name, value in tags.items()]
                file.write("\t".join([path, kind, "music" if music else "none", *values]) + "\n")

    def track(self, kind, folder, tags, number):
        """Writes one file of a kind; what is expected of it may differ from what was asked for."""
        expected = dict(tags)
        position = int(tags["track"].split("/")[0])
        stem = f"{position:02} {tags['title']}"
        if number % 11 == 0:
            folder, stem = (unicodedata.normalize("NFD", text) for text in (folder, stem))
        if number % 29 == 0:
            stem = (stem + " and on" * 60).encode()[:240].decode("utf-8", "ignore").rstrip()
        picture = png() if number % 5 == 0 else None
        mp3 = self.sounds["mp3"]
        ending, data = "mp3", None
        if kind == "odd date":
            tags["date"] = self.random.choice(["1999-05-17", "1999-05", "1999-05-17T12:00:00"])
            expected["date"] = tags["date"]
            data = id3v2(tags, 4, "utf-8") + mp3
        elif kind == "id3v2.4 unsynchronised":
            data = id3v2(tags, 4, "utf-16", unsynchronised=True) + mp3
        elif kind.startswith("id3v2.4"):
            data = id3v2(tags, 4, kind.split()[1], picture=picture) + mp3
        elif kind == "id3v2.3 unsynchronised":
            data = id3v2(tags, 3, "utf-16", unsynchronised=True) + mp3
        elif kind.startswith("id3v2.3"):
            data = id3v2(tags, 3, kind.split(" ", 1)[1] if "mark" in kind else kind.split()[1], picture=picture,
                         padding=100 * (number % 3)) + mp3 if self.fits(kind, tags) else None
            if data is None:
                data = id3v2(tags, 3, "utf-16") + mp3
        elif kind == "id3v2.2":
            data = id3v2(tags, 2, "latin-1", picture=picture) + mp3
        elif kind == "id3v1":
            tags = {name: tags[name][:28] for name in ("title", "artist", "album", "track", "date")}
            expected = dict(tags, track=str(position))
            tags["genrenumber"] = 17
            expected["genre"] = "Rock"
            data = mp3 + id3v1(tags)
        elif kind == "id3v1 and 2":
            short = {"title": "wrong", "artist": "wrong", "album": "wrong", "track": "99", "date": "1900"}
            data = id3v2(tags, 4, "utf-8") + mp3 + id3v1(short)
        elif kind == "ape on mp3":
            data = mp3 + ape(tags)
        elif kind == "several values":
            tags["genre"] = [tags["genre"], "Live", "Rare"]
            expected["genre"] = tags["genre"]
            data = id3v2(tags, 4, "utf-8") + mp3
        elif kind == "numeric genre":
            expected["genre"] = "Metal"
            data = id3v2(tags, 4 if number % 2 else 3, "latin-1") + mp3
        elif kind in ("cp1251", "cp1252", "shift-jis", "gbk", "utf-8 as latin-1"):
            page = {"shift-jis": "cp932", "utf-8 as latin-1": "utf_8"}.get(kind, kind)
            data = id3v2(tags, 3, page) + mp3
        elif kind == "flac":
            ending, data = "flac", flac(self.sounds["flac"], tags, picture)
        elif kind == "vorbis":
            ending, data = "ogg", ogg(self.sounds["ogg"], tags)
        elif kind == "opus":
            ending, data = "opus", ogg(self.sounds["opus"], tags, opus=True)
        elif kind == "m4a":
            ending, data = "m4a", mp4(self.sounds["m4a"], tags, picture)
        elif kind in ("wav info", "wav info cp1251"):
            names = set(INFO_NAMES)
            tags = {name: value for name, value in tags.items() if name in names}
            expected = dict(tags)
            ending, data = "wav", wav(self.sounds["wav"], tags, info="cp1251" if "cp1251" in kind else "utf-8")
        elif kind == "wav id3":
            ending, data = "wav", wav(self.sounds["wav"], tags, tag=id3v2(tags, 3, "utf-16"))
        elif kind == "aiff":
            ending, data = "aiff", aiff(self.sounds["aiff"], id3v2(tags, 4, "utf-8"))
        elif kind == "wma":
            tags = {name: value for name, value in tags.items() if name != "disc"}
            expected = dict(tags, track=str(position))
            tags["track"] = str(position)
            ending, data = "wma", asf(self.sounds["wma"], tags)
        elif kind == "wavpack":
            ending, data = "wv", self.sounds["wv"] + ape(tags)
        elif kind == "wrong extension":
            ending, data = "mp3", flac(self.sounds["flac"], tags)
        elif kind == "gain":
            tags["trackgain"] = "-6.50 dB"
            expected["trackgain"] = -6.5
            ending, data = "flac", flac(self.sounds["flac"], tags)
        else:  # no tags: the path tells
            artist, album = folder.split("/")[-2:]
            year = tags["date"]
            folder = folder.rsplit("/", 1)[0] + f"/{year} - {album}"
            expected = {"title": unicodedata.normalize("NFC", tags["title"]), "artist": artist, "album": album,
                        "track": str(position), "date": year}
            stem = f"{position:02} - {tags['title']}"
            data = mp3
        if self.big:
            data += bytes(self.big * 1024) if ending == "mp3" and not kind.startswith(("id3v1", "ape")) else b""
        path = f"{folder}/{stem}.{ending}"
        self.write(path, data)
        self.note(path, kind, True, expected)

    def fits(self, kind, tags):
        """Whether Latin-1 has all the letters."""
        if "latin-1" not in kind:
            return True
        try:
            "".join(str(value) for value in tags.values()).encode("latin-1")
            return True
        except UnicodeEncodeError:
            return False

    # MARK: What is no music

    def junk(self):
        size = max(4, self.files // 500)
        mp3, flac_sound = self.sounds["mp3"], self.sounds["flac"]
        for number in range(size):
            here = f"Mixed/Folder {number}"
            good = {"title": f"Good {number}", "artist": "Survivor", "album": "Mixed", "track": "1"}
            self.write(f"{here}/good.mp3", id3v2(good, 4, "utf-8") + mp3)
            self.note(f"{here}/good.mp3", "among junk", True, good)
            for name, data in {
                    "._good.mp3": b"\0\5\x16\7\0\2\0\0Mac OS X        " + bytes(60), "empty.mp3": b"",
                    "text.mp3": b"This is no music at all.\n" * 40, "badflac.flac": b"fLaC" + bytes(range(256)) * 8,
                    "cut.flac": flac_sound[:30], "cut.ogg": self.sounds["ogg"][:40], "Thumbs.db": bytes(100),
                    "cut.m4a": self.sounds["m4a"][:40], "notes.txt": b"hello", "desktop.ini": b"[x]",
                    "tagonly.mp3": id3v2(good, 4, "utf-8") + bytes(300), "book.pdf": b"%PDF-1.4" + bytes(100),
                    "noise.ogg": bytes(self.random.randrange(256) for _ in range(500))}.items():
                self.write(f"{here}/{name}", data)
                self.note(f"{here}/{name}", "junk", False)
        for name in (".Trashes/501/gone.mp3", "$RECYCLE.BIN/S-1/gone.mp3", "System Volume Information/x.mp3",
                     "__MACOSX/Album/._x.mp3", "__MACOSX/Album/x.mp3", ".hidden/x.mp3", "Ignored/x.mp3",
                     "Ignored/Deep/x.mp3"):
            self.write(name, id3v2({"title": "hidden"}, 4, "utf-8") + mp3)
            self.note(name, "hidden", False)
        self.write("Ignored/.jukeboxignore", b"")
        os.symlink("..", self.root / "Mixed" / "loop")

    def lists(self):
        """Playlists, each entry spelled as another program would."""
        paths = [path for path, _, music, _ in self.manifest if music][:40:4]
        spellings = [lambda path: path, lambda path: "./" + path, lambda path: path.replace("/", "\\"),
                     lambda path: "E:\\" + path.replace("/", "\\"),
                     lambda path: unicodedata.normalize("NFD", path), lambda path: path.upper()]
        lines = [spellings[index % len(spellings)](path) for index, path in enumerate(paths)]
        self.write("list.m3u8", "\ufeff#EXTM3U\r\n".encode() + "\r\n".join(lines + ["gone/away.mp3"]).encode())
        self.note("list.m3u8", "playlist", False)
        self.write("list.pls", ("[playlist]\n" + "".join(
            f"File{index}={line}\n" for index, line in enumerate(lines, 1))).encode())
        self.note("list.pls", "playlist", False)
        tracks = "".join(f"<track><location>{urllib.parse.quote(path)}</location></track>" for path in paths)
        self.write("list.xspf", ('<?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/">'
                                 f"<title>List</title><trackList>{tracks}</trackList></playlist>").encode())
        self.note("list.xspf", "playlist", False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--big", type=int, default=0, help="silence added to each MP3, so that it has the size of one")
    parser.add_argument("--seconds", type=int, default=0, help="of noise in each file instead of a short silence")
    arguments = parser.parse_args()
    Stick(arguments.folder, arguments.files, arguments.seed, arguments.big, arguments.seconds).make()


if __name__ == "__main__":
    main()
