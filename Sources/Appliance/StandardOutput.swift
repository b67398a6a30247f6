internal import Glibc

/// Writes all of a text to stdout, however slowly it is read; for commands that do not play.
func emit(_ text: String) { emit(Array(text.utf8)) }

/// Writes all of the bytes to stdout; gives up if nobody reads any more.
func emit(_ bytes: [UInt8]) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = unsafe rest.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if errno != EINTR {
      return
    }
  }
}
