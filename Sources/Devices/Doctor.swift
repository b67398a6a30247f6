internal import Glibc
internal import Jukebox

/// What can be said of a machine's fitness without touching its sound: a line each, with the remedy.
public struct Doctor {
  public enum Verdict: String, Sendable {
    case ok, warning, fault
  }

  public struct Finding: Equatable, Sendable {
    public var verdict: Verdict
    /// What was looked at, in one or two words.
    public var subject: String
    /// What was found and, unless it is well, what to do.
    public var words: String

    public init(verdict: Verdict, subject: String, words: String) {
      self.verdict = verdict
      self.subject = subject
      self.words = words
    }
  }

  /// Where /proc, /sys and so on are found; empty on the machine itself.
  private let root: String
  private let configuration: Configuration

  public init(_ configuration: Configuration, root: String = "") {
    self.configuration = configuration
    self.root = root
  }

  public func findings() -> [Finding] {
    [kernel, board] + panel() + [groups, cards, realtime, lockedMemory, temperature, supply, clock]
      + storage() + [media]
  }

  // MARK: - The machine

  private var kernel: Finding {
    Finding(verdict: .ok, subject: "kernel", words: line(of: "/proc/sys/kernel/osrelease") ?? "?")
  }

  private var board: Finding {
    let model = line(of: "/proc/device-tree/model") ?? line(of: "/sys/class/dmi/id/product_name")
    return Finding(verdict: .ok, subject: "board", words: model ?? "not known")
  }

  /// From the running system, whatever the root is: lines are asked for by ioctl.
  private func panel() -> [Finding] {
    let wanted = configuration.inputs.map(\.line) + configuration.outputs
    let chip: Chip
    switch Chip.find(configuration.chip) {
    case .success(let found): chip = found
    case .failure(let trouble):
      return [
        Finding(
          verdict: wanted.isEmpty ? .warning : .fault, subject: "GPIO", words: "\(trouble)")
      ]
    }
    let held = wanted.compactMap { line -> Finding? in
      guard let holder = chip.info(of: line)?.holder, holder != "jukebox" else { return nil }
      let words = LineTrouble.sentence(
        EBUSY, chip: chip.label, count: chip.count, holder: holder, line: line)
      return Finding(verdict: .fault, subject: "GPIO", words: words)
    }
    let words = "\(chip.label), \(chip.count) lines, \(wanted.count) for the panel"
    return [Finding(verdict: .ok, subject: "GPIO", words: words)] + held
  }

  private var groups: Finding {
    let names = ["audio", "gpio", "input"]
    guard geteuid() != 0 else {
      return Finding(verdict: .ok, subject: "groups", words: "root may do everything")
    }
    let own = Set(line(of: "/proc/self/status", after: "Groups:")?.split(separator: " ") ?? [])
    let missing = names.filter { name in
      guard let entry = line(of: "/etc/group", after: name + ":") else { return false }
      let fields = entry.split(separator: ":", omittingEmptySubsequences: false)
      return fields.count > 1 && !own.contains(fields[1])
    }
    if missing.isEmpty { return Finding(verdict: .ok, subject: "groups", words: list(names)) }
    return Finding(
      verdict: .warning, subject: "groups",
      words: "not in \(list(missing)): sudo usermod -aG \(missing.joined(separator: ",")) USER")
  }

  private var cards: Finding {
    let text = text(of: "/proc/asound/cards") ?? ""
    // " 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones"
    let ids = text.split(separator: "\n").compactMap { line -> String? in
      guard let start = line.firstIndex(of: "["), let end = line.firstIndex(of: "]") else {
        return nil
      }
      return String(line[line.index(after: start)..<end].prefix { $0 != " " })
    }
    guard !ids.isEmpty else {
      return Finding(
        verdict: .fault, subject: "sound",
        words: "no card: plug one in, or switch it on (dtparam=audio=on in config.txt)")
    }
    let wanted = configuration.cards
    guard wanted.isEmpty || wanted.contains(where: ids.contains) else {
      return Finding(
        verdict: .fault, subject: "sound",
        words: "none of \(list(wanted)): there are \(list(ids)); set cards in [sound]")
    }
    return Finding(
      verdict: .ok, subject: "sound", words: list(ids.map { $0 + (formats(of: $0) ?? "") }))
  }

  /// Of a USB card, which the kernel tells of in its stream0; nil for others.
  private func formats(of card: String) -> String? {
    var formats: [String] = []
    var rates: [String] = []
    for line in (text(of: "/proc/asound/\(card)/stream0") ?? "").split(separator: "\n") {
      if line == "Capture:" { break }
      let words = line.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " } }
      guard words.count == 2 else { continue }
      let new = words[1].split(separator: ",").map { String($0.drop { $0 == " " }) }
      if words[0] == "Format" { formats += new.filter { !formats.contains($0) } }
      if words[0] == "Rates" { rates += new.filter { !rates.contains($0) } }
    }
    return formats.isEmpty || rates.isEmpty
      ? nil : " (\(formats.joined(separator: " ")) at \(rates.joined(separator: " ")) Hz)"
  }

  private var realtime: Finding {
    // The running process's limit: see limits.conf(5).
    let limit = words(of: "/proc/self/limits", after: "Max realtime priority").first ?? "0"
    if geteuid() == 0 || limit == "unlimited" || (Int(limit) ?? 0) >= 40 {
      return Finding(verdict: .ok, subject: "realtime", words: "allowed")
    }
    return Finding(
      verdict: .warning, subject: "realtime",
      words: "priority \(limit) at most: LimitRTPRIO=50 in the unit, or '@audio - rtprio 50' in"
        + " /etc/security/limits.d")
  }

  private var lockedMemory: Finding {
    let limit = words(of: "/proc/self/limits", after: "Max locked memory").first ?? "0"
    if geteuid() == 0 || limit == "unlimited" || (Int(limit) ?? 0) >= 64 << 20 {
      return Finding(verdict: .ok, subject: "locked memory", words: "enough")
    }
    return Finding(
      verdict: .warning, subject: "locked memory",
      words: "\((Int(limit) ?? 0) >> 20) MB: LimitMEMLOCK=128M in the unit")
  }

  private var temperature: Finding {
    guard let number = line(of: "/sys/class/thermal/thermal_zone0/temp").flatMap({ Int($0) })
    else { return Finding(verdict: .ok, subject: "temperature", words: "not measured") }
    let words = "\(number / 1000) °C"
    // The Raspberry Pi slows down from 80 °C on, and more at 85.
    if number < 80_000 { return Finding(verdict: .ok, subject: "temperature", words: words) }
    return Finding(
      verdict: .warning, subject: "temperature",
      words: words + ": the board slows down; give it a heat sink or air")
  }

  private var supply: Finding {
    for number in 0..<16 where line(of: "/sys/class/hwmon/hwmon\(number)/name") == "rpi_volt" {
      guard line(of: "/sys/class/hwmon/hwmon\(number)/in0_lcrit_alarm") == "1" else {
        return Finding(verdict: .ok, subject: "supply", words: "voltage is right")
      }
      return Finding(
        verdict: .fault, subject: "supply",
        words: "undervoltage: use the board's own supply and a short, thick cable")
    }
    return Finding(verdict: .ok, subject: "supply", words: "not measured")
  }

  private var clock: Finding {
    // 1 January 2025: without a battery, a board's clock starts in the past.
    let isSet = time(nil) > 1_735_689_600
    return Finding(
      verdict: isSet ? .ok : .warning, subject: "clock",
      words: isSet
        ? "set" : "not set: quiet hours need it; connect a network, or fit a clock module")
  }

  private func storage() -> [Finding] {
    var findings: [Finding] = []
    var status = statvfs()
    if unsafe statvfs(root + "/var", &status) == 0 {
      let free = (Int(status.f_bavail) * Int(status.f_frsize)) >> 20
      let words = "\(free) MB free"
      findings.append(
        free > 100
          ? Finding(verdict: .ok, subject: "storage", words: words)
          : Finding(
            verdict: free > 10 ? .warning : .fault, subject: "storage",
            words: words + ": delete something in /var, such as old journals"))
    }
    let rootMount = mounts.last { $0.point == [UInt8(ascii: "/")] }
    if let rootMount { findings += health(of: rootMount.device) }
    if let rootMount, rootMount.options.contains("ro") {
      findings.append(
        Finding(
          verdict: .warning, subject: "storage",
          words: "the system is read-only: give --state a folder that can be written"))
    }
    return findings
  }

  /// What the filesystem and an eMMC's own controller say of a device, such as "179:2"; the kernel's
  /// sysfs-fs-ext4, and its mmc-dev-attrs after JEDEC's 5.1.
  private func health(of device: String) -> [Finding] {
    var findings: [Finding] = []
    let folder = "/sys/dev/block/\(device)"
    let name = text(of: folder + "/uevent")?.split(separator: "\n")
      .first { $0.hasPrefix("DEVNAME=") }?.dropFirst("DEVNAME=".count)
    if let name, let count = line(of: "/sys/fs/ext4/\(name)/errors_count").flatMap({ Int($0) }),
      count > 0
    {
      findings.append(
        Finding(
          verdict: .fault, subject: "storage",
          words: "\(count) errors of \(name)'s filesystem: back up /var/lib/jukebox, then repair it"
            + " (fsck) or take a new card"))
    }
    // Of a partition, the disk is the folder above.
    let tenths = (line(of: folder + "/../device/life_time") ?? "").split(separator: " ")
      .compactMap { Int($0.dropFirst(2), radix: 16) }.max()
    if let tenths, tenths > 0 {
      let isWorn = tenths >= 10
      findings.append(
        Finding(
          verdict: isWorn ? .warning : .ok, subject: "storage",
          words: "\(min(tenths, 10) * 10) % of its writes are used"
            + (isWorn ? ": take a new one soon" : "")))
    }
    return findings
  }

  private var media: Finding {
    let found = mounts.filter { mount in
      configuration.folders.contains { mount.isBelow(Array($0.utf8)) }
    }
    let words = found.map { String(decoding: $0.point, as: UTF8.self) }
    return Finding(
      verdict: .ok, subject: "media", words: words.isEmpty ? "none plugged in" : list(words))
  }

  // MARK: - Files

  private var mounts: [Mount] {
    Mount.table((text(of: "/proc/self/mountinfo") ?? "").utf8)
  }

  private func text(of path: String) -> String? {
    guard let bytes = try? Configuration.contents(of: root + path) else { return nil }
    return String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
  }

  /// The first line, or what stands after a word at a line's beginning.
  private func line(of path: String, after word: String = "") -> String? {
    let line = text(of: path)?.split(separator: "\n").first { $0.hasPrefix(word) }
    return line.map { String($0.dropFirst(word.count).drop { $0 == " " || $0 == "\t" }) }
  }

  private func words(of path: String, after word: String) -> [String] {
    (line(of: path, after: word) ?? "").split(separator: " ").map(String.init)
  }
}
