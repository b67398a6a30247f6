internal import CALSA
internal import CLinux

struct Probe: ~Copyable {
  @_noLocks mutating func run(_ pcm: OpaquePointer, _ fd: Int32) -> Int {
    clinux_signal(fd)
    let t = clinux_now()
    let a = unsafe snd_pcm_avail(pcm)
    var p = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
    _ = unsafe clinux_wait(&p, 1, 1000)
    return a + Int(t)
  }
}
