internal import CUdev
internal import Glibc

/// The system's own list of devices, and its news of them.
///
/// It listens from its making on, so what comes after `paths` were asked for is not missed.
@safe struct Udev: ~Copyable {
  /// What became of the news since the last call.
  enum News: ~Copyable {
    case device(UdevDevice)
    /// More came than the kernel keeps: what is here must be looked at anew.
    case lost
    case none
  }

  private let context: OpaquePointer
  private let monitor: OpaquePointer
  private let subsystems: [String]

  /// udev_monitor_new_from_netlink; what is of other subsystems the kernel filters away unseen.
  init(of subsystems: [String]) throws(DeviceError) {
    guard let context = unsafe udev_new() else { throw Self.error("udev_new") }
    guard let monitor = unsafe udev_monitor_new_from_netlink(context, "udev") else {
      defer { unsafe udev_unref(context) }
      throw Self.error("udev_monitor_new_from_netlink")
    }
    for name in subsystems {
      unsafe udev_monitor_filter_add_match_subsystem_devtype(monitor, name, nil)
    }
    // Needs CAP_NET_ADMIN for more than the system allows to all; `lost` covers the rest.
    unsafe udev_monitor_set_receive_buffer_size(monitor, 4 << 20)
    guard unsafe udev_monitor_enable_receiving(monitor) >= 0 else {
      defer {
        unsafe udev_monitor_unref(monitor)
        unsafe udev_unref(context)
      }
      throw Self.error("udev_monitor_enable_receiving")
    }
    unsafe self.context = unsafe context
    unsafe self.monitor = unsafe monitor
    self.subsystems = subsystems
  }

  deinit {
    unsafe udev_monitor_unref(monitor)
    unsafe udev_unref(context)
  }

  /// udev_monitor_get_fd.
  var descriptor: Int32 { unsafe udev_monitor_get_fd(monitor) }

  /// udev_monitor_receive_device, which does not wait.
  func next() -> News {
    errno = 0
    if let device = unsafe udev_monitor_receive_device(monitor) {
      return unsafe .device(UdevDevice(owning: device))
    }
    return errno == ENOBUFS ? .lost : .none
  }

  /// The folders in /sys of all devices, whether udev's rules are through with them or not;
  /// udev_enumerate_scan_devices.
  var paths: [String] {
    guard let list = unsafe udev_enumerate_new(context) else { return [] }
    defer { unsafe udev_enumerate_unref(list) }
    for name in subsystems { unsafe udev_enumerate_add_match_subsystem(list, name) }
    unsafe udev_enumerate_scan_devices(list)
    var paths: [String] = []
    var entry = unsafe udev_enumerate_get_list_entry(list)
    while let current = unsafe entry {
      if let name = unsafe udev_list_entry_get_name(current) {
        unsafe paths.append(String(cString: name))
      }
      unsafe entry = unsafe udev_list_entry_get_next(current)
    }
    return paths
  }

  /// Nil if it is gone by now; udev_device_new_from_syspath.
  func device(at path: String) -> UdevDevice? {
    unsafe udev_device_new_from_syspath(context, path).map { unsafe UdevDevice(owning: $0) }
  }

  private static func error(_ call: String) -> DeviceError {
    DeviceError(call: call, code: errno == 0 ? ENOMEM : errno)
  }
}
