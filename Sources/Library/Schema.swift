/// The library's tables, as a list of changes; a change that has been released is never edited.
enum Schema {
  /// "Juke": tells the library's file from other SQLite files.
  static let applicationID = 0x4A75_6B65

  /// Brings a file up to date.
  static func migrate(_ database: Database) throws(SQLiteError) {
    let version = try version(of: database)
    guard version < migrations.count else { return }
    try database.transaction { () throws(SQLiteError) in
      // Another process may have done it meanwhile.
      let version = try self.version(of: database)
      for migration in migrations.dropFirst(version) { try database.execute(migration) }
      try database.execute(
        "PRAGMA user_version = \(migrations.count); PRAGMA application_id = \(applicationID)")
    }
  }

  static func version(of database: Database) throws(SQLiteError) -> Int {
    try database.row("PRAGMA user_version") { $0.int(0) } ?? 0
  }

  static var latest: Int { migrations.count }

  private static let migrations = [
    """
    -- A medium that has been seen; 0 is the board's own storage. `root` is where it is or was last.
    CREATE TABLE medium (
      id INTEGER PRIMARY KEY,
      uuid TEXT NOT NULL, size INTEGER NOT NULL, label TEXT NOT NULL,
      root BLOB NOT NULL, isPresent INTEGER NOT NULL, lastSeen INTEGER NOT NULL,
      UNIQUE (uuid, size));

    -- `path` is seen from the medium's root, empty for the root itself.
    CREATE TABLE folder (
      id INTEGER PRIMARY KEY,
      medium INTEGER NOT NULL, path BLOB NOT NULL, modified INTEGER NOT NULL, picture BLOB,
      UNIQUE (medium, path));

    -- Of artists (role 1), album artists (2), composers (3) and genres (4).
    CREATE TABLE name (
      id INTEGER PRIMARY KEY,
      role INTEGER NOT NULL, text TEXT NOT NULL, folded TEXT NOT NULL, sort BLOB NOT NULL,
      UNIQUE (role, text));
    CREATE INDEX nameFolded ON name (role, folded);

    -- `place` is empty, or tells a compilation from others of its title.
    CREATE TABLE album (
      id INTEGER PRIMARY KEY,
      title TEXT NOT NULL, artist INTEGER NOT NULL, place TEXT NOT NULL,
      folded TEXT NOT NULL, sort BLOB NOT NULL, year INTEGER, isCompilation INTEGER NOT NULL,
      UNIQUE (title, artist, place));
    CREATE INDEX albumFolded ON album (folded);

    -- A file, or a cue sheet's part of one from `start` to `stop` (in 1/75 s, stop may be NULL).
    -- state: 0 listed, 1 covered by a cue sheet's parts, 2 no music, 3 no longer there.
    -- isRead: whether more than its name is known. sheet: the cue sheet that it is part of.
    CREATE TABLE track (
      id INTEGER PRIMARY KEY,
      medium INTEGER NOT NULL, folder INTEGER NOT NULL, file BLOB NOT NULL,
      start INTEGER NOT NULL, stop INTEGER, sheet INTEGER,
      state INTEGER NOT NULL, isRead INTEGER NOT NULL, reason TEXT,
      size INTEGER NOT NULL, modified INTEGER NOT NULL, fingerprint INTEGER,
      added INTEGER NOT NULL, kind INTEGER NOT NULL,
      title TEXT NOT NULL, sort BLOB NOT NULL,
      artist INTEGER, albumArtist INTEGER, composer INTEGER, album INTEGER, genres TEXT,
      year INTEGER, date TEXT, number INTEGER, total INTEGER, disc INTEGER, discs INTEGER,
      isCompilation INTEGER, comment TEXT, hasLyrics INTEGER, bpm INTEGER, hasPicture INTEGER,
      trackGain REAL, trackPeak REAL, albumGain REAL, albumPeak REAL,
      codec TEXT, length INTEGER NOT NULL, frames INTEGER, rate INTEGER, channels INTEGER,
      bits INTEGER, bitrate INTEGER, delay INTEGER, padding INTEGER,
      UNIQUE (folder, file, start));
    -- With all that a page of songs is chosen by, so that none is looked up but those given.
    CREATE INDEX trackSort ON track (sort, medium, kind, state) WHERE state = 0;
    CREATE INDEX trackArtist ON track (artist, medium) WHERE state = 0 AND artist IS NOT NULL;
    CREATE INDEX trackAlbumArtist ON track (albumArtist, medium)
      WHERE state = 0 AND albumArtist IS NOT NULL;
    CREATE INDEX trackComposer ON track (composer, medium)
      WHERE state = 0 AND composer IS NOT NULL;
    CREATE INDEX trackAlbum ON track (album, disc, number) WHERE state = 0 AND album IS NOT NULL;
    CREATE INDEX trackAdded ON track (added, medium) WHERE state = 0;
    CREATE INDEX trackUnread ON track (medium, folder) WHERE isRead = 0;
    CREATE INDEX trackContent ON track (fingerprint, size) WHERE state = 3;

    CREATE TABLE genre (
      name INTEGER NOT NULL, track INTEGER NOT NULL, PRIMARY KEY (name, track)) WITHOUT ROWID;

    -- What only people know of a track. rating is of 0 to 100, resume in milliseconds.
    CREATE TABLE usage (
      track INTEGER PRIMARY KEY,
      rating INTEGER, plays INTEGER NOT NULL DEFAULT 0, skips INTEGER NOT NULL DEFAULT 0,
      played INTEGER, resume INTEGER);
    CREATE INDEX usagePlays ON usage (plays);

    -- How many listed tracks have a member in common, and how long they are together: what queries
    -- without a filter give. Kept up to date with each change of a track, in its transaction.
    -- role: 0 all, 1 to 4 as in `name`, 5 album, 6 year, 7 folder.
    CREATE TABLE collection (
      role INTEGER NOT NULL, sort BLOB NOT NULL, member INTEGER NOT NULL, kind INTEGER NOT NULL,
      medium INTEGER NOT NULL,
      title TEXT NOT NULL, detail TEXT NOT NULL, year INTEGER,
      count INTEGER NOT NULL, length INTEGER NOT NULL, track INTEGER NOT NULL,
      PRIMARY KEY (role, sort, member, kind, medium)) WITHOUT ROWID;

    -- Of a medium, by its file; or one of the user's own, of medium NULL.
    CREATE TABLE playlist (
      id INTEGER PRIMARY KEY,
      medium INTEGER, folder INTEGER, file BLOB, size INTEGER, modified INTEGER,
      title TEXT NOT NULL, sort BLOB NOT NULL, isRead INTEGER NOT NULL, reason TEXT,
      UNIQUE (folder, file));

    -- track is NULL where the target leads nowhere.
    CREATE TABLE entry (
      playlist INTEGER NOT NULL, place INTEGER NOT NULL, track INTEGER,
      target BLOB NOT NULL, title TEXT,
      PRIMARY KEY (playlist, place)) WITHOUT ROWID;
    CREATE INDEX entryTrack ON entry (track) WHERE track IS NOT NULL;

    CREATE VIRTUAL TABLE search USING fts5 (
      title, artist, album, composer, genre, file,
      content = '', columnsize = 0, detail = column, prefix = '1 2 3',
      tokenize = "unicode61 remove_diacritics 2");
    INSERT INTO search (search, rank) VALUES ('automerge', 8);
    """,
    """
    -- What was measured of a track's sound (EBU R 128), by its content; in LUFS and full scales.
    -- NULL for silence; `peak` NULL for what can't be decoded. stop: -1 for the file's end.
    -- `blocks` tells how loud several are together, such as an album, all of whose tracks are known.
    CREATE TABLE loudness (
      fingerprint INTEGER NOT NULL, size INTEGER NOT NULL, start INTEGER NOT NULL,
      stop INTEGER NOT NULL,
      loudness REAL, peak REAL, blocks BLOB NOT NULL, albumLoudness REAL, albumPeak REAL,
      PRIMARY KEY (fingerprint, size, start, stop)) WITHOUT ROWID;

    -- When the file was last gone through to see if it is whole; seconds since 1970.
    CREATE TABLE checkup (done INTEGER NOT NULL);
    INSERT INTO checkup VALUES (unixepoch());
    """,
  ]
}
