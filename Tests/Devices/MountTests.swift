import Testing

@testable import Devices

struct MountTests {
  @Test func `the line of the manual page is understood`() throws {
    // The example of proc_pid_mountinfo(5).
    let line = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue"
    let mount = try #require(Mount(line: line.utf8))
    #expect(mount.number == 36)
    #expect(mount.device == "98:0")
    #expect(mount.root == Array("/mnt1".utf8))
    #expect(mount.point == Array("/mnt2".utf8))
    #expect(mount.source == Array("/dev/root".utf8))
    #expect(mount.options == ["rw", "noatime"])
  }

  @Test func `there may be any number of optional fields`() {
    let none = "26 1 8:2 / / rw,relatime - ext4 /dev/sda2 rw"
    let three = "26 1 8:2 / / rw shared:1 master:7 propagate_from:2 - ext4 /dev/sda2 rw"
    for line in [none, three] {
      #expect(Mount(line: line.utf8)?.source == Array("/dev/sda2".utf8))
    }
  }

  @Test func `spaces, tabs, newlines and backslashes in a name are put back`() {
    // What the kernel's mangle() escapes: fs/proc_namespace.c.
    let line = #"26 1 8:2 / /a\040b\011c\012d\134e rw - vfat /dev/sd\0431 rw"#
    let mount = Mount(line: line.utf8)
    #expect(mount?.point == Array("/a b\tc\nd\\e".utf8))
    #expect(mount?.source == Array("/dev/sd#1".utf8))
  }

  @Test func `bytes that are no text stay what they are`() {
    var line = Array("26 1 8:2 / /x".utf8)
    line += [0xFF, 0xC3]
    line += Array(" rw - vfat /dev/sda1 rw".utf8)
    #expect(Mount(line: line)?.point == Array("/x".utf8) + [0xFF, 0xC3])
  }

  @Test(arguments: ["", "26", "26 1 8:2 / / rw shared:1", "x 1 8:2 / / rw - ext4 /dev/sda2 rw"])
  func `a line that is none gives none`(line: String) {
    #expect(Mount(line: line.utf8) == nil)
  }

  @Test func `a folder that begins alike is another one`() {
    let mount = Mount(line: "26 1 8:2 / /run/media2/x rw - vfat /dev/sda1 rw".utf8)
    #expect(mount?.isBelow(Array("/run/media".utf8)) == false)
    #expect(mount?.isBelow(Array("/run/media2".utf8)) == true)
    #expect(mount?.isBelow(Array("/run/media2/x".utf8)) == false)
  }
}
