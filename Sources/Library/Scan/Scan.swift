internal import Glibc
internal import Jukebox

/// One scan of one medium: what is there by name, then what it is.
///
/// The first pass walks the tree, breadth first and folders in the order people expect, and compares
/// every file's size and time with what is known; folders whose own time has changed go before all
/// others. That time alone would not do: a file rewritten in place leaves it, and so does Windows on
/// a FAT stick. The second pass looks into the files that are new or changed, folder by folder. Each
/// batch is a transaction of its own, so that the library is never locked for long. A third pass
/// finds the tracks that playlists name. Belongs to the scanner's thread.
final class Scan {
  let database: Database
  let writer: TrackWriter
  let medium: Int
  let root: Path
  let now: Int64
  var progress = ScanProgress()

  private let isStopped: () -> Bool
  private let report: (ScanEvent) -> Void
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var lastReport: ContinuousClock.Instant

  init(
    library: Path, medium: MediumID, root: Path, isStopped: @escaping () -> Bool,
    report: @escaping (ScanEvent) -> Void
  ) throws(ScanFailure) {
    self.medium = Int(medium.number)
    self.root = root
    self.isStopped = isStopped
    self.report = report
    now = Int64(time(nil))
    start = clock.now
    lastReport = start
    do throws(SQLiteError) {
      database = try Database(library, .writing(isSafe: false), cache: 8 << 20)
      // Eight megabytes: a scan writes each page of the indexes many times, and so copies it once in two.
      try database.execute("PRAGMA wal_autocheckpoint = 2000")
      writer = try TrackWriter(database)
    } catch {
      throw .library(error)
    }
  }

  func run() throws(ScanFailure) {
    var tree = TreePass(self)
    try tree.run()
    progress.isWalked = true
    tell(isUrgent: true)
    let tags = TagPass(self)
    try tags.run()
    let lists = PlaylistPass(self)
    try lists.run()
    try guarded { () throws(SQLiteError) in try self.tidyUp() }
    try checkUp()
    progress.elapsed = clock.now - start
    report(.finished(progress))
  }

  /// Deletes the lost tracks of which people know nothing, and puts the search index in order.
  private func tidyUp() throws(SQLiteError) {
    let lost = """
      SELECT id FROM track WHERE state = 3 AND medium = ?
        AND id NOT IN (SELECT track FROM usage) AND id NOT IN
        (SELECT track FROM entry WHERE track IS NOT NULL)
      """
    if try database.row(lost, SQLValue(medium), read: { _ in true }) != nil {
      try write { () throws(SQLiteError) in
        let tracks = try self.database.rows(lost, SQLValue(self.medium)) { $0.integer(0) }
        for track in tracks { try self.writer.delete(track) }
      }
    }
    if progress.done > 1000 {
      try database.run("INSERT INTO search (search) VALUES ('optimize')")
    }
    if progress.done > 0 {
      // By itself it reads first and then wants to write, which nobody who writes meanwhile can be waited for.
      try write { () throws(SQLiteError) in try self.database.execute("PRAGMA optimize") }
      try database.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }
  }

  /// Goes through the library's file once a day, now that there is nothing else to do.
  ///
  /// A clock that was set back counts as a day.
  private func checkUp() throws(ScanFailure) {
    try guarded { () throws(SQLiteError) in
      let last = try self.database.row("SELECT done FROM checkup") { $0.integer(0) } ?? 0
      guard !(last...(last + 86_400)).contains(self.now) else { return }
      try self.database.check(unless: self.isStopped)
      try self.database.run("UPDATE checkup SET done = ?", .integer(self.now))
    }
  }

  // MARK: - For the passes

  /// Writes in one transaction.
  func write(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    do throws(SQLiteError) {
      try database.transaction { () throws(SQLiteError) in
        try body()
        try self.writer.flush()
      }
    } catch {
      writer.forget()
      throw error
    }
  }

  /// Does what may fail for the library's sake.
  func guarded<Result>(_ body: () throws(SQLiteError) -> Result) throws(ScanFailure) -> Result {
    do throws(SQLiteError) {
      return try body()
    } catch {
      throw .library(error)
    }
  }

  func found(_ tracks: [Int64]) {
    if !tracks.isEmpty { report(.found(tracks.map { TrackID($0) })) }
  }

  /// Reports the progress, if it is time; ends the scan if it is to end.
  func checkIn() throws(ScanFailure) {
    if isStopped() { throw .stopped }
    tell(isUrgent: false)
  }

  private func tell(isUrgent: Bool) {
    let now = clock.now
    guard isUrgent || now - lastReport > .milliseconds(100) else { return }
    lastReport = now
    progress.elapsed = now - start
    report(.progressed(progress))
  }
}
