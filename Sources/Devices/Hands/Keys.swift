internal import CEvdev
internal import Glibc
public import Jukebox

/// Devices with media keys: keypads, remotes, headset buttons, presentation clickers.
///
/// Only keys that mean something are told; a device without any of them is let go of at once.
public struct Keys: ~Copyable {
  /// What the keys mean, by code.
  private let meanings: [UInt16: Command]
  private let isGrabbing: Bool
  private let descriptors: Descriptors
  private var devices: [KeyDevice] = []
  private var events: ArraySlice<(command: Command, at: Instant)> = []

  /// `keys` overrule the usual meanings, by the kernel's names.
  public init(_ keys: [String: Command] = [:], grab: Bool = false) throws(DeviceError) {
    var meanings: [UInt16: Command] = [:]
    for (name, command) in MediaKey.usual + keys.map({ ($0.key, $0.value) }) {
      if let code = MediaKey.code(name) { meanings[code] = command }
    }
    self.meanings = meanings
    isGrabbing = grab
    descriptors = try Descriptors()
  }

  /// Readable when `next` has something to look at.
  public var descriptor: Int32 { descriptors.descriptor }

  /// Listens to a device, such as "/dev/input/event3", that has come.
  ///
  /// - Returns: whether it has a key that means something.
  @discardableResult
  public mutating func add(_ path: String) throws(DeviceError) -> Bool {
    remove(path)
    let device = try KeyDevice(path)
    guard meanings.keys.contains(where: { device.has($0) }) else { return false }
    if isGrabbing { device.grab() }
    try descriptors.add(device.descriptor)
    devices.append(device)
    return true
  }

  /// Lets go of a device; keys that were held on it come up.
  public mutating func remove(_ path: String) {
    for device in devices where device.path == path { release(device) }
    devices.removeAll { $0.path == path }
  }

  /// What the next press means and when it was, nil while there is none; never waits.
  public mutating func next() -> (command: Command, at: Instant)? {
    if events.isEmpty { look() }
    return events.popFirst()
  }

  private mutating func look() {
    let ready = descriptors.ready()
    for device in devices where ready.contains(device.descriptor) {
      var isHere = true
      while isHere, let key = device.next(&isHere) { take(key, of: device) }
      if !isHere { remove(device.path) }
    }
    events.sort { $0.at < $1.at }
  }

  private mutating func take(_ key: KeyDevice.Key, of device: KeyDevice) {
    guard let command = meanings[key.code] else { return }
    switch (key.change, command) {
    case (.pressed, _):
      device.held.insert(key.code)
      events.append((command, key.time))
    case (.repeated, .stepVolume), (.repeated, .seekBy): events.append((command, key.time))
    case (.repeated, _): break
    case (.released, _):
      device.held.remove(key.code)
      if command.isSeeking { events.append((.endSeeking, key.time)) }
    }
    device.last = key.time
  }

  private mutating func release(_ device: KeyDevice) {
    for code in device.held where meanings[code]?.isSeeking == true {
      events.append((.endSeeking, device.last))
    }
  }
}

extension Command {
  /// Whether it goes on until the key is let go of.
  fileprivate var isSeeking: Bool {
    self == .beginSeekingForward || self == .beginSeekingBackward
  }
}

/// One open input device.
@safe private final class KeyDevice {
  enum Change { case pressed, repeated, released }

  struct Key {
    var code: UInt16
    var change: Change
    var time: Instant
  }

  let path: String
  let descriptor: Int32
  var held: Set<UInt16> = []
  /// When the last key was told.
  var last = Instant(nanoseconds: 0)
  private let handle: OpaquePointer

  init(_ path: String) throws(DeviceError) {
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw DeviceError(call: "open \(path)", code: errno) }
    guard let handle = unsafe cevdev_new(descriptor) else {
      let code = errno
      close(descriptor)
      throw DeviceError(call: "libevdev_new_from_fd", code: code)
    }
    self.path = path
    self.descriptor = descriptor
    unsafe self.handle = unsafe handle
  }

  deinit {
    unsafe cevdev_free(handle)
    close(descriptor)
  }

  func has(_ code: UInt16) -> Bool { unsafe cevdev_has(handle, code) }

  func grab() {
    _ = unsafe cevdev_grab(handle, true)
  }

  /// Nil where there is nothing more; `isHere` turns false where the device is gone.
  func next(_ isHere: inout Bool) -> Key? {
    var key = cevdev_key()
    let status = unsafe cevdev_next(handle, &key)
    if status < 0 { isHere = false }
    guard status > 0 else { return nil }
    return Key(
      code: key.code, change: key.value == 0 ? .released : key.value == 1 ? .pressed : .repeated,
      time: Instant(nanoseconds: key.nanoseconds))
  }
}
