internal import Glibc

/// Why a sound file can't be written.
public struct SoundFileError: Error, Equatable, CustomStringConvertible {
  /// The system's `errno`; 0 where libsndfile itself refused.
  public var code: Int32
  /// One line for the user, without the file's name.
  public var description: String

  /// A system call's failure.
  init(errno code: Int32) {
    self.code = code
    description = unsafe String(cString: strerror(code))
  }

  /// A libsndfile call's failure: `errno` if that was set, otherwise the library's own words.
  init(_ words: UnsafePointer<CChar>?) {
    self.init(errno: errno)
    if code == 0, let words = unsafe words { description = unsafe String(cString: words) }
  }
}
