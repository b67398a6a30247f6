/// A filesystem on a device that is here, mounted or not.
public struct Filesystem: Hashable, Sendable {
  /// The device's folder in /sys.
  var device: String
  /// The device's numbers as the kernel writes them, such as "8:1".
  var number: String
  /// Such as "/dev/sda1".
  public var node: String
  /// As its link in /dev/disk/by-uuid has it; of the partition or the device where it has none.
  public var uuid: String
  /// Of the partition or the whole device, in bytes.
  public var size: Int
  public var label: String
  /// Such as "vfat".
  public var type: String
}

extension Filesystem {
  /// Nil where the device holds none: a bare disk, an empty slot, a part of something larger.
  init?(_ device: borrowing UdevDevice) {
    guard device.property("ID_FS_USAGE") == "filesystem", let type = device.property("ID_FS_TYPE"),
      let node = device.node, let major = device.property("MAJOR"),
      let minor = device.property("MINOR")
    else { return nil }
    let part = device.property("ID_PART_ENTRY_NUMBER").map { "-part\($0)" } ?? ""
    self.init(
      device: device.path, number: "\(major):\(minor)", node: node,
      uuid: device.property("ID_FS_UUID_ENC") ?? device.property("ID_FS_UUID")
        ?? device.property("ID_PART_ENTRY_UUID")
        ?? (device.property("ID_SERIAL") ?? device.name) + part,
      size: device.attribute("size").flatMap { Int($0) }.map { $0 * 512 } ?? 0,
      label: device.property("ID_FS_LABEL_ENC").map(decoded) ?? "",
      type: type)
  }
}

/// With each "\x" and two hexadecimal digits, as udev writes what it will not let pass, put back.
private func decoded(_ text: String) -> String {
  var bytes: [UInt8] = []
  var rest = Array(text.utf8)[...]
  while let byte = rest.popFirst() {
    if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), rest.count >= 3,
      let value = UInt8(String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16)
    {
      bytes.append(value)
      rest = rest.dropFirst(3)
    } else {
      bytes.append(byte)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
