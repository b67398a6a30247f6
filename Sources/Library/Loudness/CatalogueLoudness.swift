public import Jukebox

/// Where a track's sound is: a file, or a part of it.
public struct SoundPart: Equatable, Sendable {
  public var track: TrackID
  public var path: Path
  public var start: Duration
  /// Nil for the file's end.
  public var end: Duration?
}

extension Catalogue {
  /// Tracks that are here, have no gain in their tags and were never measured; the first `limit`.
  public func unmeasured(
    on medium: MediumID? = nil, limit: Int
  ) throws(SQLiteError) -> [SoundPart] {
    let medium = medium.map { SQLValue($0.number) } ?? .null
    let tracks = try database.rows(
      """
      SELECT t.id FROM track t WHERE \(Self.wantsMeasuring)
        AND t.medium IN (SELECT id FROM medium WHERE isPresent AND (?1 IS NULL OR id = ?1))
      ORDER BY t.id LIMIT ?2
      """, medium, SQLValue(limit)
    ) { TrackID($0.integer(0)) }
    return try items(tracks).map {
      SoundPart(track: $0.id, path: $0.path, start: $0.start, end: $0.end)
    }
  }

  /// How many tracks `unmeasured` would give without a limit.
  public func unmeasuredCount(on medium: MediumID? = nil) throws(SQLiteError) -> Int {
    let medium = medium.map { SQLValue($0.number) } ?? .null
    return try database.row(
      """
      SELECT count(*) FROM track t WHERE \(Self.wantsMeasuring)
        AND t.medium IN (SELECT id FROM medium WHERE isPresent AND (?1 IS NULL OR id = ?1))
      """, medium
    ) { $0.int(0) } ?? 0
  }

  /// Keeps for ever how loud a track is, and its album once all of it is known.
  ///
  /// Kept with the content, not the track: it is known again wherever the file turns up. Nil for
  /// sound that can't be decoded, which is then not tried again.
  public func setLoudness(_ loudness: Loudness?, of track: TrackID) throws(SQLiteError) {
    try database.transaction { () throws(SQLiteError) in
      try database.run(
        """
        INSERT OR REPLACE INTO loudness (fingerprint, size, start, stop, loudness, peak, blocks)
        SELECT fingerprint, size, start, ifnull(stop, -1), ?2, ?3, ?4 FROM track WHERE id = ?1
        """, .integer(track.number), loudness?.integrated.map { .real($0) } ?? .null,
        loudness.map { .real($0.peak) } ?? .null, .blob(loudness?.blocks.bytes ?? []))
      let album = try database.row(
        "SELECT album FROM track WHERE id = ? AND album IS NOT NULL", .integer(track.number)
      ) { $0.integer(0) }
      if let album { try measureAlbum(album) }
    }
  }

  /// How loud a track was measured to be; nil if it never was.
  public func loudness(of track: TrackID) throws(SQLiteError) -> Loudness? {
    try database.row(
      "SELECT l.loudness, l.peak, l.blocks FROM track t \(Self.measured) WHERE t.id = ?",
      .integer(track.number), read: Self.loudness) ?? nil
  }

  private func measureAlbum(_ album: Int64) throws(SQLiteError) {
    let isIncomplete = try database.row(
      "SELECT 1 FROM track t WHERE t.album = ? AND \(Self.wantsMeasuring) LIMIT 1",
      .integer(album)
    ) { _ in true }
    guard isIncomplete == nil else { return }
    let pieces = try database.rows(
      """
      SELECT l.loudness, l.peak, l.blocks FROM track t \(Self.measured)
      WHERE t.album = ? AND t.state = 0
      """, .integer(album), read: Self.loudness)
    let whole = Loudness(together: pieces.compactMap(\.self))
    try database.run(
      """
      UPDATE loudness SET albumLoudness = ?2, albumPeak = ?3
      WHERE (fingerprint, size, start, stop) IN (SELECT fingerprint, size, start, ifnull(stop, -1)
        FROM track WHERE album = ?1 AND state = 0)
      """, .integer(album), whole.integrated.map { .real($0) } ?? .null, .real(whole.peak))
  }

  private static func loudness(_ row: Statement) -> Loudness? {
    guard let peak = row.optionalReal(1) else { return nil }
    return Loudness(
      integrated: row.optionalReal(0), peak: peak, blocks: GatingBlocks(bytes: row.bytes(2)))
  }

  /// Joins what was measured of the track `t`.
  static let measured = """
    JOIN loudness l ON l.fingerprint = t.fingerprint AND l.size = t.size AND l.start = t.start
      AND l.stop = ifnull(t.stop, -1)
    """

  /// A condition on the track `t`.
  private static let wantsMeasuring = """
    t.state = 0 AND t.isRead = 1 AND t.trackGain IS NULL AND t.fingerprint <> 0 AND NOT EXISTS (
      SELECT 1 FROM loudness l WHERE l.fingerprint = t.fingerprint AND l.size = t.size
        AND l.start = t.start AND l.stop = ifnull(t.stop, -1))
    """
}
