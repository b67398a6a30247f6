internal import CUdev

/// What udev knows of a device at one moment.
@safe struct UdevDevice: ~Copyable {
  private let handle: OpaquePointer

  /// Takes over the caller's reference.
  init(owning handle: OpaquePointer) {
    unsafe self.handle = unsafe handle
  }

  deinit {
    unsafe udev_device_unref(handle)
  }

  /// Its folder in /sys, which names it as long as it is here; udev_device_get_syspath.
  var path: String { unsafe Self.text(udev_device_get_syspath(handle)) ?? "" }

  /// Such as "card0" or "event3"; udev_device_get_sysname.
  var name: String { unsafe Self.text(udev_device_get_sysname(handle)) ?? "" }

  /// udev_device_get_subsystem.
  var subsystem: String { unsafe Self.text(udev_device_get_subsystem(handle)) ?? "" }

  /// Such as "/dev/sda1"; udev_device_get_devnode.
  var node: String? { unsafe Self.text(udev_device_get_devnode(handle)) }

  /// Whether the event that brought it is its end; udev_device_get_action.
  var isRemoved: Bool { unsafe Self.text(udev_device_get_action(handle)) == "remove" }

  /// udev_device_get_property_value.
  func property(_ name: String) -> String? {
    let value = unsafe Self.text(udev_device_get_property_value(handle, name))
    return value?.isEmpty == true ? nil : value
  }

  /// A file of its folder in /sys; udev_device_get_sysattr_value.
  func attribute(_ name: String) -> String? {
    unsafe Self.text(udev_device_get_sysattr_value(handle, name))
  }

  private static func text(_ words: UnsafePointer<CChar>?) -> String? {
    unsafe words.map { unsafe String(cString: $0) }
  }
}
