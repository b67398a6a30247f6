internal import Audio
internal import Devices
internal import Glibc
internal import Jukebox
internal import Library
internal import Remote

/// The media that are here, and what is being done about them.
struct Shelf: ~Copyable {
  let folders: MediaFolders
  let lookout = Lookout()
  /// Media that have been unmounted, or what kept them from it.
  let releases = Mailbox<(root: Path, fault: String?)>()
  /// The devices that media are on, such as "/dev/sda1".
  var nodes: [Path: String] = [:]
  /// Where the media are that are here.
  var roots: [MediumID: Path] = [:]
  /// The media by which the brains' numbers can be told before the library is open.
  var known: [KnownMedium] = []
  /// Which medium is in which folder.
  var inFolder: [Path: MediumID] = [:]
  /// Counts the looks at each folder: what an older one saw is of the past.
  var turns: [Path: Int] = [:]
  /// Folders that have not been seen yet since the start: what is in them was not plugged in.
  var unseen: Set<Path>
  /// The settings that media carry, where they may.
  var carried: [Path: [UInt8]] = [:]
  /// The mode that was there before the settings named one.
  var shuffle: ShuffleMode?
  /// The track that played last, of each medium.
  var left: [MediumID: TrackID] = [:]

  /// The library's file; nil until it is open.
  var library: Path?
  /// Media that the library knows to be here, so that they can be scanned.
  var entered: Set<MediumID> = []
  var wantsScan: Set<MediumID> = []
  var scanners: [MediumID: Scanner] = [:]
  /// Measures how loud the music is, while the appliance rests.
  var survey: LoudnessSurvey?
  var isResting = false
  /// Here, but not to be played from: a read took too long and has not come to its end.
  var hanging: Set<MediumID> = []
  /// Plugged in, and to be played once it is known what is on them; true once the first track plays.
  var filling: [MediumID: Bool] = [:]

  init(_ media: [Path]) throws(SystemError) {
    folders = try MediaFolders(media)
    unseen = Set(media)
  }

  /// The media that are here, as the state file has them.
  var here: [KnownMedium] {
    let here = roots
    return known.filter { here[$0.id] != nil }
  }

  mutating func know(_ medium: MediumID, _ identity: MediumIdentity) {
    known.removeAll {
      $0.id == medium || $0.identity.uuid == identity.uuid && $0.identity.size == identity.size
    }
    known.append(KnownMedium(id: medium, identity: identity))
  }
}

extension Appliance {
  // MARK: - Plugged in, pulled out

  func look(at folder: Path, _ filesystem: Filesystem? = nil) {
    let turn = shelf.turns[folder, default: 0] + 1
    shelf.turns[folder] = turn
    shelf.nodes[folder] = filesystem?.node
    shelf.lookout.look(at: folder, filesystem, turn: turn)
  }

  func take(_ event: MediaFolders.Event) {
    switch event {
    case .appeared(let folder): look(at: folder)
    case .went(let folder): went(folder)
    }
  }

  /// What is in a folder is gone, or nothing is mounted there any more.
  func went(_ folder: Path) {
    shelf.turns[folder, default: 0] += 1
    shelf.unseen.remove(folder)
    if let medium = shelf.inFolder[folder] { wentAway(medium) }
    carry(nil, from: folder)
  }

  func take(_ sighting: Lookout.Sighting) {
    let root = sighting.root
    guard sighting.turn == shelf.turns[root] else { return }
    guard let identity = sighting.identity else {
      shelf.unseen.remove(root)
      return
    }
    journal.debug("\(root): medium \(identity.uuid), \(identity.label)")
    if ownSettings.allowsStickSettings { carry(sighting.settings, from: root) }
    librarian.ask(.arrived(identity, root: root, turn: sighting.turn))
    let known = shelf.known.first {
      $0.identity.uuid == identity.uuid && $0.identity.size == identity.size
    }
    if let known { isHere(known.id, identity, at: root, tracks: nil) }
  }

  /// The medium is here; `tracks` is how many the library knows of it, once it has said so.
  private func isHere(
    _ medium: MediumID, _ identity: MediumIdentity, at root: Path, tracks: Int?
  ) {
    if let other = shelf.inFolder[root], other != medium { wentAway(other) }
    shelf.know(medium, identity)
    if shelf.roots[medium] == nil {
      shelf.roots[medium] = root
      shelf.inFolder[root] = medium
      journal.say("\(root): here\(identity.label.isEmpty ? "" : ", called \(identity.label)")")
      tell(.mediumAdded(medium))
      carryOn()
    }
    guard let tracks else { return }
    let isNew = shelf.unseen.remove(root) == nil
    if isNew || player.lineup.queue.count == 0 { plugged(medium, tracks: tracks) }
  }

  func wentAway(_ medium: MediumID) {
    guard let root = shelf.roots.removeValue(forKey: medium) else { return }
    shelf.inFolder = shelf.inFolder.filter { $0.value != medium }
    shelf.entered.remove(medium)
    shelf.wantsScan.remove(medium)
    shelf.filling[medium] = nil
    shelf.hanging.remove(medium)
    endScan(medium)
    endSurvey()
    journal.say("\(root): gone")
    // A file that is still open could be read on: what is in memory plays on, and no more.
    if let loaded = sound.loaded, loaded.item.track.medium == medium {
      deck.lose(loaded.name, andNext: sound.follower?.item.track.medium == medium)
    }
    tell(.mediumRemoved(medium))
    librarian.ask(.left(medium))
  }

  /// Held button or `eject`: all that is open is closed, what was mounted for us is unmounted, and it says
  /// when the media may be pulled out.
  func releaseMedia() {
    for (medium, root) in shelf.roots {
      wentAway(medium)
      if supervisor.isThere, let node = shelf.nodes[root] {
        startThread("unmount") { [releases = shelf.releases] in
          releases.post((root, Systemctl.unmount(node)))
        }
      } else {
        journal.say("\(root): may be pulled out")
      }
    }
  }

  func takeReleases() {
    for (root, fault) in shelf.releases.take() {
      if let fault { journal.warn("\(root): \(fault)") }
      journal.say("\(root): may be pulled out")
    }
  }

  // MARK: - What plays then

  private func plugged(_ medium: MediumID, tracks: Int) {
    var plug = settings.plug
    if plug == .auto { plug = player.state == .playing ? .nothing : .left }
    guard plug != .nothing else { return }
    if plug == .shuffle { tell(.pressed(.setShuffle(.songs))) }
    if let item = queued(medium, left: plug == .left) {
      tell(.pressed(player.lineup.current == item ? .play : .select(item)))
      return
    }
    shelf.filling[medium] = false
    guard tracks > 0 else { return }
    librarian.ask(plug == .playlist ? .playlist(medium) : .contents(medium))
  }

  /// The medium's item in the queue that is to play: the one that was left, else the first.
  private func queued(_ medium: MediumID, left: Bool) -> ItemID? {
    let queue = player.lineup.queue
    let items = queue.items(0..<queue.count).filter { $0.track.medium == medium }
    let current = items.first { $0.id == player.lineup.current }
    let last = items.first { $0.track.id == shelf.left[medium] }
    return (left ? current ?? last : nil)?.id ?? items.first?.id
  }

  /// Puts a medium's tracks at the queue's end, and plays the first, or the one that was left.
  ///
  /// What was in the queue stays: the medium it is on may come back.
  private func fill(_ tracks: [Track], of medium: MediumID) {
    guard let hasBegun = shelf.filling[medium] else { return }
    if tracks.isEmpty {
      shelf.filling[medium] = nil
      return
    }
    tell(.pressed(.append(tracks)))
    guard !hasBegun else { return }
    shelf.filling[medium] = true
    let usesLeft = settings.plug == .auto || settings.plug == .left
    if let item = queued(medium, left: usesLeft) { tell(.pressed(.select(item))) }
  }

  func noteCurrent(_ item: ItemID?) {
    guard let track = item.flatMap({ player.lineup.queue.track($0) }) else { return }
    shelf.left[track.medium] = track.id
  }

  // MARK: - The library

  func take(_ answer: Librarian.Answer) {
    switch answer {
    case .opened(let file):
      shelf.library = file
      for medium in shelf.wantsScan { scan(medium) }
    case .begunAnew(let file): enterAnew(into: file)
    case .trouble(let line): journal.warn(line)
    case .entered(let medium, let identity, let root, let turn, let tracks):
      guard turn == shelf.turns[root] else { return }
      // One that is entered anew was not plugged in.
      let isNews = shelf.entered.insert(medium).inserted
      isHere(medium, identity, at: root, tracks: isNews ? tracks : nil)
      if shelf.wantsScan.contains(medium) { scan(medium) }
    case .refused(let root, let turn):
      guard turn == shelf.turns[root] else { return }
      journal.warn("\(root): can't be entered into the library")
    case .located(let tracks, let places): located(tracks, places)
    case .new(let tracks, let medium): fill(tracks, of: medium)
    case .contents(let tracks, let medium):
      fill(tracks, of: medium)
      shelf.filling[medium] = nil
    case .found(let tracks, let placement): tell(.found(tracks, placement))
    case .songs(let lines, let client): reply(client, songs: lines)
    case .added(let tracks, let client): reply(client, adding: tracks)
    }
  }

  /// Another library is there in place of one that was damaged. What plays goes on.
  private func enterAnew(into file: Path) {
    endSurvey()
    shelf.library = file
    for (medium, root) in shelf.roots {
      endScan(medium)
      shelf.wantsScan.insert(medium)
      guard let identity = shelf.known.first(where: { $0.id == medium })?.identity else { continue }
      librarian.ask(.arrived(identity, root: root, turn: shelf.turns[root] ?? 0))
    }
  }

  // MARK: - Scans

  func scan(_ medium: MediumID) {
    guard let library = shelf.library, shelf.entered.contains(medium) else {
      shelf.wantsScan.insert(medium)
      return
    }
    shelf.wantsScan.remove(medium)
    guard shelf.scanners[medium] == nil, let root = shelf.roots[medium] else { return }
    endSurvey()
    do throws(SystemError) {
      let scanner = try Scanner(library: library, medium: medium, root: root)
      try scanner.start()
      shelf.scanners[medium] = scanner
      loop.watch(scanner.descriptor, .scanner)
      tellRemotes(.update)
    } catch {
      journal.warn("\(root): can't be scanned: \(error)")
    }
  }

  func takeScan(_ descriptor: Int32) {
    guard let (medium, scanner) = shelf.scanners.first(where: { $0.value.descriptor == descriptor })
    else { return }
    for event in scanner.takeEvents() {
      switch event {
      case .found(let tracks):
        if shelf.filling[medium] != nil, settings.plug != .playlist {
          librarian.ask(.new(tracks, medium))
        }
      case .progressed: break
      case .finished(let progress):
        endScan(medium)
        journal.say(
          "\(shelf.roots[medium] ?? Path("")): \(progress.seen) files, \(progress.added) new,"
            + " \(progress.changed) changed, \(progress.removed) gone")
        tell(.scanFinished(medium))
        if shelf.filling[medium] != nil {
          librarian.ask(settings.plug == .playlist ? .playlist(medium) : .new([], medium))
        }
        let known = sound.places.values.filter { $0.medium == medium }.map(\.track)
        if !progress.isUnchanged { librarian.ask(.locate(known)) }
        survey()
      case .failed(let reason):
        endScan(medium)
        journal.warn("scan: \(reason)")
        if scanner.hasFoundDamage {
          librarian.ask(.mend)
        } else if shelf.filling[medium] != nil {
          librarian.ask(.new([], medium))
        }
      }
    }
  }

  private func endScan(_ medium: MediumID) {
    guard let scanner = shelf.scanners.removeValue(forKey: medium) else { return }
    loop.forget(scanner.descriptor)
    scanner.abandon()
    tellRemotes(.update)
  }
}
