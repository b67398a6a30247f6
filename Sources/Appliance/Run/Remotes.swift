internal import CLinux
internal import Glibc
internal import Library
internal import Remote

/// The Unix socket, and the remotes that are connected to it.
struct Remotes: ~Copyable {
  let path: Path
  var listener: Int32 = -1
  var clients: [Int32: Client] = [:]
  var count = 0
  /// Those that have asked more than is answered in one turn.
  var busy: Set<Int32> = []

  struct Client {
    let id: ClientID
    var conversation = Conversation()
    /// What is waited for.
    var reads = true
    var writes = false
  }

  /// More than this are turned away, as MPD does (max_connections).
  static let most = 100
  /// What is answered to one remote before all else has its turn.
  static let atOnce = 16

  /// `folder` is the state's; under systemd it is the runtime folder.
  init(folder: Path) {
    let runtime = environment("RUNTIME_DIRECTORY").map { Path(String($0.prefix { $0 != ":" })) }
    path = (runtime ?? folder).appending(Path("socket"))
  }

  /// Listens; throws if another process does so, or the folder can't be written.
  mutating func open() throws(SystemError) {
    let name = path.bytes
    var address = sockaddr_un()
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard name.count < room else { throw SystemError(call: "bind", errno: ENAMETOOLONG) }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
      for (index, byte) in name.enumerated() { unsafe path[index] = byte }
    }
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(AF_UNIX, Int32(kind), 0)
    guard descriptor >= 0 else { throw SystemError(call: "socket", errno: errno) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    func call(_ body: (UnsafePointer<sockaddr>) -> Int32) -> Int32 {
      unsafe withUnsafePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
      }
    }
    // A socket that a killed process left behind is refused, and taken over.
    if unsafe call({ unsafe connect(descriptor, $0, size) }) == 0 {
      close(descriptor)
      throw SystemError(call: "bind", errno: EADDRINUSE)
    }
    if errno == ECONNREFUSED { _ = unsafe withCString(path) { unsafe unlink($0) } }
    guard unsafe call({ unsafe bind(descriptor, $0, size) }) == 0, listen(descriptor, 16) == 0
    else {
      let code = errno
      close(descriptor)
      throw SystemError(call: "bind", errno: code)
    }
    listener = descriptor
  }

  func close() {
    for descriptor in clients.keys { Glibc.close(descriptor) }
    guard listener >= 0 else { return }
    Glibc.close(listener)
    _ = unsafe withCString(path) { unsafe unlink($0) }
  }

  private func close(_ descriptor: Int32) { Glibc.close(descriptor) }
}

extension Appliance {
  func openRemotes() {
    do throws(SystemError) {
      try remotes.open()
      loop.watch(remotes.listener, .listener)
    } catch {
      journal.warn("\(remotes.path): no remotes, since it can't be listened to: \(error)")
    }
  }

  func closeRemotes() { remotes.close() }

  func admitRemotes() {
    while true {
      let descriptor = clinux_accept(remotes.listener)
      guard descriptor >= 0 else { return }
      guard remotes.clients.count < Remotes.most else {
        close(descriptor)
        continue
      }
      remotes.count += 1
      remotes.clients[descriptor] = Remotes.Client(
        id: ClientID(descriptor: descriptor, number: remotes.count))
      loop.watch(descriptor, .client)
      flush(descriptor)
    }
  }

  /// A remote has sent something, is gone, or can take more.
  func serve(_ ready: Loop.Ready) {
    let descriptor = ready.descriptor
    guard remotes.clients[descriptor] != nil else { return }
    if ready.canRead {
      // One piece at a time: a remote that floods is served in turn with all else.
      var bytes = [UInt8](repeating: 0, count: 1 << 14)
      let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
      guard count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR) else {
        return drop(descriptor)
      }
      if count > 0 { remotes.clients[descriptor]?.conversation.receive(bytes[..<count]) }
    }
    goOn(descriptor)
  }

  /// Goes on with the remotes that had asked more than was answered in one turn.
  func serveBusy() {
    let busy = remotes.busy
    remotes.busy = []
    for descriptor in busy { goOn(descriptor) }
  }

  /// Answers what a remote has asked, up to a bound, and sends it.
  func goOn(_ descriptor: Int32) {
    var count = 0
    while let client = remotes.clients[descriptor] {
      if count == Remotes.atOnce {
        remotes.busy.insert(descriptor)
        break
      }
      guard let request = remotes.clients[descriptor]?.conversation.next() else { break }
      count += 1
      guard let answer = answer(request, client.id) else { break }
      remotes.clients[descriptor]?.conversation.answer(answer)
    }
    flush(descriptor)
  }

  /// Sends what can be sent, and says what is waited for then.
  func flush(_ descriptor: Int32) {
    while let output = remotes.clients[descriptor]?.conversation.output, !output.isEmpty {
      let count = unsafe output.withUnsafeBytes {
        unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 {
        guard count < 0, errno == EAGAIN || errno == EINTR else { return drop(descriptor) }
        break
      }
      remotes.clients[descriptor]?.conversation.sent(count)
    }
    guard let client = remotes.clients[descriptor] else { return }
    if client.conversation.isOver { return drop(descriptor) }
    let writes = !client.conversation.output.isEmpty
    let reads = !remotes.busy.contains(descriptor) && !client.conversation.isBehind
    guard client.reads != reads || client.writes != writes else { return }
    remotes.clients[descriptor]?.reads = reads
    remotes.clients[descriptor]?.writes = writes
    loop.change(descriptor, .client, reading: reads, writing: writes)
  }

  private func drop(_ descriptor: Int32) {
    guard remotes.clients.removeValue(forKey: descriptor) != nil else { return }
    remotes.busy.remove(descriptor)
    loop.forget(descriptor)
    close(descriptor)
  }

  /// Tells those that wait for it of a change.
  func tellRemotes(_ subsystem: Subsystem) {
    for descriptor in remotes.clients.keys {
      remotes.clients[descriptor]?.conversation.noteChange(subsystem)
      flush(descriptor)
    }
  }
}
