import Testing

@testable import Devices

/// News of devices and mounts in, media out.
struct SticksTests {
  private var sticks = Sticks(below: [Array("/media".utf8)])

  private static func filesystem(
    _ name: String, _ uuid: String, number: String = "8:1", size: Int = 1000, label: String = ""
  ) -> Filesystem {
    Filesystem(
      device: "/sys/\(name)", number: number, node: "/dev/\(name)", uuid: uuid, size: size,
      label: label, type: "vfat")
  }

  private static func mount(
    _ point: String, device: String = "8:1", number: Int = 50, root: String = "/",
    source: String = "/dev/disk"
  ) -> Mount {
    Mount(
      number: number, device: device, root: Array(root.utf8), point: Array(point.utf8),
      source: Array(source.utf8))
  }

  private func stick(_ filesystem: Filesystem, _ path: String, mount: Int = 50) -> Stick {
    Stick(filesystem: filesystem, path: Array(path.utf8), mount: mount)
  }

  private let music = filesystem("sda1", "7B46-39FA")

  @Test mutating func `a device and then its mount make a medium`() {
    #expect(sticks.handle(.seen(music)) == [])
    #expect(sticks.handle(.mounted([Self.mount("/media/m")])) == [.added(stick(music, "/media/m"))])
    #expect(sticks.handle(.mounted([Self.mount("/media/m")])) == [])
  }

  @Test mutating func `so does a mount that was seen before its device`() {
    #expect(sticks.handle(.mounted([Self.mount("/media/m")])) == [])
    #expect(sticks.handle(.seen(music)) == [.added(stick(music, "/media/m"))])
  }

  @Test mutating func `a device that goes takes its medium along, mounted still or not`() {
    _ = sticks.handle(.seen(music))
    _ = sticks.handle(.mounted([Self.mount("/media/m")]))
    #expect(
      sticks.handle(.gone(device: music.device)) == [.removed(stick(music, "/media/m"))])
    #expect(sticks.handle(.mounted([])) == [])
    #expect(sticks.handle(.gone(device: music.device)) == [])
  }

  @Test mutating func `a medium unmounted is removed though its device stays`() {
    _ = sticks.handle(.seen(music))
    _ = sticks.handle(.mounted([Self.mount("/media/m")]))
    #expect(sticks.handle(.mounted([])) == [.removed(stick(music, "/media/m"))])
  }

  @Test mutating func `a stick pulled comes back under another name while its old mount lingers`() {
    let lingering = Self.mount("/media/m")
    _ = sticks.handle(.seen(music))
    _ = sticks.handle(.mounted([lingering]))
    _ = sticks.handle(.gone(device: music.device))
    let again = Self.filesystem("sdb1", "7B46-39FA", number: "8:17")
    #expect(sticks.handle(.seen(again)) == [])
    let second = Self.mount("/media/m", device: "8:17", number: 51)
    #expect(
      sticks.handle(.mounted([lingering, second])) == [
        .added(stick(again, "/media/m", mount: 51))
      ])
    #expect(sticks.handle(.mounted([second])) == [])
  }

  @Test mutating func `unmounted and mounted again between two looks is another medium`() {
    _ = sticks.handle(.seen(music))
    _ = sticks.handle(.mounted([Self.mount("/media/m", number: 50)]))
    #expect(
      sticks.handle(.mounted([Self.mount("/media/m", number: 51)])) == [
        .removed(stick(music, "/media/m")), .added(stick(music, "/media/m", mount: 51)),
      ])
  }

  @Test mutating func `another card in the same slot is another medium`() {
    let slot = Self.filesystem("sdb", "AAAA-0001", label: "ONE")
    let next = Self.filesystem("sdb", "AAAA-0002", label: "TWO")
    _ = sticks.handle(.mounted([Self.mount("/media/one", number: 50)]))
    _ = sticks.handle(.seen(slot))
    #expect(sticks.handle(.gone(device: slot.device)) == [.removed(stick(slot, "/media/one"))])
    #expect(
      sticks.handle(.mounted([Self.mount("/media/two", number: 51)])) == [])
    #expect(sticks.handle(.seen(next)) == [.added(stick(next, "/media/two", mount: 51))])
  }

  @Test mutating func `mounts elsewhere, of parts and of other devices do not count`() {
    _ = sticks.handle(.seen(music))
    #expect(
      sticks.handle(
        .mounted([
          Self.mount("/"), Self.mount("/media"), Self.mount("/media/part", root: "/Music"),
          Self.mount("/media/other", device: "8:2"),
        ])) == [])
  }

  @Test mutating func `a filesystem without a number of its own is known by its device's name`() {
    _ = sticks.handle(.seen(music))
    let mount = Self.mount("/media/m", device: "0:45", source: "/dev/sda1")
    #expect(sticks.handle(.mounted([mount])) == [.added(stick(music, "/media/m"))])
  }

  @Test mutating func `mounted twice it is there once, and stays when one of the two goes`() {
    _ = sticks.handle(.seen(music))
    let (one, two) = (Self.mount("/media/m"), Self.mount("/media/n", number: 51))
    #expect(sticks.handle(.mounted([one, two])) == [.added(stick(music, "/media/m"))])
    #expect(sticks.handle(.mounted([one])) == [])
  }

  @Test mutating func `a copy of a medium waits until the first one goes`() {
    let copy = Self.filesystem("sdb1", "7B46-39FA", number: "8:17")
    let copied = Self.mount("/media/n", device: "8:17", number: 51)
    _ = sticks.handle(.seen(music))
    _ = sticks.handle(.mounted([Self.mount("/media/m"), copied]))
    #expect(sticks.handle(.seen(copy)) == [])
    #expect(
      sticks.handle(.mounted([copied])) == [
        .removed(stick(music, "/media/m")), .added(stick(copy, "/media/n", mount: 51)),
      ])
    // Back again, the first one is now the copy.
    #expect(sticks.handle(.mounted([Self.mount("/media/m", number: 52), copied])) == [])
  }
}
