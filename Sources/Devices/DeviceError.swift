internal import Glibc

/// A call to the kernel or to one of the libraries here that failed.
public struct DeviceError: Error, Equatable, CustomStringConvertible {
  public var call: String
  public var code: Int32

  public init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// Such as "udev_new: Cannot allocate memory".
  public var description: String {
    "\(call): " + (unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)")
  }
}
