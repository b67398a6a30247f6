// A made-up machine and the real `HotPlug` in it. Reads commands of words apart by tabs, does each, and
// prints what `HotPlug` has told since, one event a line, and a dot. To be started by umockdev-wrapper.
//
//   start                                 HotPlug begins, below the folder given as argument
//   add SUBSYSTEM NAME PARENT WORD...     a device; @file=text for a file of it in /sys, else a property
//   set PATH WORD...                      its files and properties from now on
//   tell PATH ACTION                      udev's news of it
//   remove PATH                           it is gone from /sys
//   lose COMMAND...                       does the command, and the kernel drops udev's news of it
//   mount SOURCE NAME, unmount NAME       in the folder; unmounting is lazy
//   mount SOURCE NAME PATH                with a copy of a file or folder on it
//   link UUID NAME                        udev's link by that UUID leads to what is mounted there
//   run WORD...                           a program begins in the machine, in the fake chip's company
//   call WORD...                          the same, and it is waited for
//   signal NUMBER                         what has begun gets a signal
//   stop                                  ends it by SIGTERM; quit ends it all
//   chip LABEL, hold LINE CONSUMER        the GPIO chip, and a line of it that somebody else has
//   lines LABEL LINE,... LINE,...         GPIO begins with these inputs and outputs; no-lines ends it
//   level LINE 0|1 NANOSECONDS            an edge
//   levels EDGE...                        the same, words apart by spaces, before any is read
//   burst LINE COUNT NANOSECONDS STEP     edges before any of them is read
//   learn button|knob NANOSECONDS         Listening begins; until NANOSECONDS lets it look
//   drive LINE 0|1, look LINE, missed     an output, a line's true level, the count of edges lost
//   keys grab|share NAME...               Keys begins with a device that has these; hang-up ends the device
//   keyboard NAME                         the node of a device with keys, for a program; to be added then
//   key NAME 0|1|2 NANOSECONDS            a key released, pressed or repeated
//   drop NAME 0|1                         events are dropped, in which the key was released or pressed
//   unplug                                the device is taken away
//   forget                                closes what the chip keeps of lines that were let go of
//   cost                                  descriptors open, and kilobytes of anonymous memory

import CFakeGPIO
import CUmockdev
import Devices
import Glibc
import Jukebox

guard CommandLine.arguments.count == 2, let testbed = umockdev_testbed_new() else {
  print("usage: umockdev-wrapper Testbed FOLDER")
  exit(2)
}
let folder = CommandLine.arguments[1]
/// What `run` has begun.
nonisolated(unsafe) var program: pid_t = 0
let canMount = cumockdev_own_mounts()

/// The words as C has lists of texts: names and values in turn.
func list(_ words: some Sequence<Substring>) -> [UnsafeMutablePointer<CChar>?] {
  words.flatMap { word in
    word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
      strdup(String($0))
    }
  } + [nil]
}

func release(_ list: [UnsafeMutablePointer<CChar>?]) {
  for text in list { free(text) }
}

func add(_ words: ArraySlice<Substring>) {
  var files = list(words.dropFirst(3).filter { $0.hasPrefix("@") }.map { $0.dropFirst() })
  var properties = list(words.dropFirst(3).filter { !$0.hasPrefix("@") })
  let start = words.startIndex
  let parent = words[start + 2] == "-" ? nil : strdup(String(words[start + 2]))
  let path = umockdev_testbed_add_devicev(
    testbed, String(words[start]), String(words[start + 1]), parent, &files, &properties)
  print("path", path.map { String(cString: $0) } ?? "none", separator: "\t")
  g_free(path)
  free(parent)
  release(files)
  release(properties)
}

func set(_ words: ArraySlice<Substring>) {
  let path = String(words[words.startIndex])
  for word in words.dropFirst() {
    let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if word.hasPrefix("@") {
      umockdev_testbed_set_attribute(testbed, path, String(pair[0].dropFirst()), String(pair[1]))
    } else {
      umockdev_testbed_set_property(testbed, path, String(pair[0]), String(pair[1]))
    }
  }
}

func remove(_ path: String) {
  umockdev_testbed_remove_device(testbed, path)
  // umockdev 0.17 leaves this link, and then ends the program when the device is added again.
  guard let root = umockdev_testbed_get_root_dir(testbed) else { return }
  unlink(String(cString: root) + "/sys/block/" + (path.split(separator: "/").last ?? ""))
  g_free(root)
}

/// A program, and its process or, if that is waited for, how it ended.
///
/// One that goes on has the fake chip, before all else that is preloaded, and its pipe: the testbed
/// itself must not take the pipe's commands.
func begin(_ words: some Sequence<Substring>, isWaitedFor: Bool) -> Int32 {
  var pointers = words.map { strdup(String($0)) } + [nil]
  defer { release(pointers) }
  var variables: [UnsafeMutablePointer<CChar>?] = []
  var place = environ
  while let variable = place.pointee {
    if !String(cString: variable).hasPrefix("LD_PRELOAD=") { variables.append(strdup(variable)) }
    place += 1
  }
  var modules = [getenv("LD_PRELOAD")]
  if !isWaitedFor {
    modules.insert(getenv("FAKEGPIO_MODULE"), at: 0)
    if let pipe = getenv("FAKEGPIO_PIPE") {
      variables.append(strdup("FAKEGPIO=" + String(cString: pipe)))
    }
  }
  let preload = modules.compactMap { $0.map { String(cString: $0) } }.joined(separator: ":")
  variables += [strdup("LD_PRELOAD=" + preload), nil]
  defer { release(variables) }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_adddup2(&actions, 2, 1)
  var process: pid_t = 0
  guard posix_spawnp(&process, pointers[0] ?? strdup(""), &actions, nil, &pointers, variables) == 0
  else { return -1 }
  guard isWaitedFor else { return process }
  var status: Int32 = 0
  waitpid(process, &status, 0)
  return status >> 8 & 0xFF
}

func stop(_ signal: Int32) {
  guard program > 0 else { return }
  kill(program, signal)
  var status: Int32 = 0
  waitpid(program, &status, 0)
  program = 0
}

/// A device's node is to umockdev a file with the sticky bit where it is a block device, and its
/// numbers are what a link in .node leads to.
func link(_ uuid: String, to point: String) {
  var status = stat()
  guard stat(point, &status) == 0, let root = umockdev_testbed_get_root_dir(testbed) else { return }
  defer { g_free(root) }
  let devices = String(cString: root) + "/dev"
  for folder in ["", "/disk", "/disk/by-uuid", "/.node"] { mkdir(devices + folder, 0o755) }
  let file = open(devices + "/disk/by-uuid/" + uuid, O_CREAT | O_CLOEXEC, 0o600)
  guard file >= 0, fchmod(file, 0o1600) == 0 else { return print("no link: \(errno)") }
  close(file)
  // All of these are in memory: major number 0.
  symlink("0:\(status.st_dev)", devices + "/.node/disk_by-uuid_" + uuid)
}

func count(_ path: String, _ prefix: String) -> Int {
  guard let file = fopen(path, "r") else { return -1 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, 256, file) != nil {
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    if text.hasPrefix(prefix) { return Int(text.filter(\.isNumber)) ?? -1 }
  }
  return -1
}

func descriptors() -> Int {
  guard let folder = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while readdir(folder) != nil { count += 1 }
  return count
}

func description(_ event: HotPlug.Event) -> [String] {
  switch event {
  case .plugged(let filesystem): ["plugged", filesystem.node, filesystem.uuid]
  case .mediumAdded(let stick):
    [
      "added", stick.filesystem.uuid, "\(stick.filesystem.size)", stick.filesystem.label,
      stick.filesystem.type, String(decoding: stick.path, as: UTF8.self),
    ]
  case .mediumRemoved(let stick):
    ["removed", stick.filesystem.uuid, String(decoding: stick.path, as: UTF8.self)]
  case .cardAdded(let id): ["card", id]
  case .cardRemoved(let id): ["card-gone", id]
  case .inputAdded(let node): ["input", node]
  case .inputRemoved(let node): ["input-gone", node]
  case .power(let power): ["power", "\(power)"]
  }
}

/// Prints the events, which must have made the descriptor readable, and must leave it quiet.
func drain(_ hotPlug: inout HotPlug?) {
  guard hotPlug != nil else { return }
  func isReadable() -> Bool {
    var look = pollfd(fd: hotPlug?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
    return poll(&look, 1, 0) > 0
  }
  let wasReadable = isReadable()
  var isSilent = true
  while let event = hotPlug?.next() {
    isSilent = false
    print(description(event).joined(separator: "\t"))
  }
  if !isSilent, !wasReadable { print("a descriptor that says nothing") }
  if isReadable() { print("a descriptor that is never quiet") }
}

func run() throws {
  var hotPlug: HotPlug?
  var hands = Hands(folder)
  while let line = readLine() {
    var words = line.split(separator: "\t", omittingEmptySubsequences: false)
    if words.first == "lose" {
      fakeudev_lose()
      words.removeFirst()
    }
    let rest = words.dropFirst()
    let last = String(rest.last ?? "")
    switch words.first {
    case "start":
      hotPlug = try HotPlug(below: [folder])
      print(canMount ? "can mount" : "can't mount")
      while let event = hotPlug?.next() {
        print(description(event).joined(separator: "\t"))
      }
    case "quit": return
    case "add": add(rest)
    case "set": set(rest)
    case "tell": umockdev_testbed_uevent(testbed, String(words[1]), last)
    case "remove": remove(last)
    case "mount":
      let point = folder + "/" + words[2]
      mkdir(point, 0o755)
      if words.count > 3 {
        // It is filled where nobody looks for it yet.
        let hidden = folder + ".hidden"
        mkdir(hidden, 0o755)
        let source = String(words[1])
        guard mount(source, hidden, "tmpfs", 0, "size=8m") == 0,
          begin(["cp", "-r", words[3], Substring(hidden)], isWaitedFor: true) == 0,
          mount(hidden, point, nil, UInt(MS_MOVE), nil) == 0
        else {
          print("mount failed: \(errno)")
          break
        }
        rmdir(hidden)
      } else if mount(String(words[1]), point, "tmpfs", 0, "size=16k") != 0 {
        print("mount failed: \(errno)")
      }
    case "link": link(String(words[1]), to: folder + "/" + last)
    case "run":
      program = begin(rest, isWaitedFor: false)
      print("process", program, separator: "\t")
    case "call": print("ended", begin(rest, isWaitedFor: true), separator: "\t")
    case "signal": if program > 0 { kill(program, Int32(last) ?? 0) }
    case "stop": stop(SIGTERM)
    case "unmount":
      umount2(folder + "/" + last, Int32(MNT_DETACH))
      rmdir(folder + "/" + last)
    case "cost":
      print("cost", descriptors(), count("/proc/self/smaps_rollup", "Anonymous:"), separator: "\t")
    default:
      if try !hands.handle(words, testbed) { print("no such command: \(line)") }
    }
    drain(&hotPlug)
    hands.drain()
    print(".")
    fflush(nil)
  }
}

try run()
stop(SIGKILL)
g_object_unref(UnsafeMutableRawPointer(testbed))
