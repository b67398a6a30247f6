internal import Jukebox

/// The 40-pin header of a Raspberry Pi, with what the settings say is wired where.
public struct Pinout {
  /// One of the header's pins: what it is for all boards, and what it is wired to here.
  struct Pin: Equatable {
    var name: String
    var gpio: Int?
    var use = ""
  }

  /// Pin 1 first.
  let pins: [Pin]

  public init(_ configuration: Configuration) {
    let uses = Self.uses(configuration)
    pins = Self.header.map { name in
      guard let number = Int(name) else { return Pin(name: name) }
      return Pin(name: "GPIO \(number)", gpio: number, use: uses[number] ?? "")
    }
  }

  /// From the GPIO header's published pinout: GPIO numbers, supplies and grounds, pin by pin.
  private static let header = [
    "3.3 V", "5 V", "2", "5 V", "3", "ground", "4", "14", "ground", "15",
    "17", "18", "27", "ground", "22", "23", "3.3 V", "24", "10", "ground",
    "9", "25", "11", "8", "ground", "7", "0", "1", "5", "ground",
    "6", "12", "13", "ground", "19", "16", "26", "20", "ground", "21",
  ]

  /// The header as it lies, pin 1 at the top left.
  public var text: String {
    let rows = stride(from: 0, to: pins.count, by: 2).map { (pins[$0], pins[$0 + 1], $0 + 1) }
    let useWidth = rows.map { $0.0.use.count }.max() ?? 0
    return rows.map { left, right, number in
      let line =
        padded(left.use, useWidth, toRight: true) + "  " + padded(left.name, 7, toRight: true)
        + "  " + padded("\(number)", 2, toRight: true) + " o o " + padded("\(number + 1)", 2)
        + "  " + padded(right.name, 7) + "  " + right.use
      return trimmed(line) + "\n"
    }.joined()
  }

  /// The same as a picture.
  public var svg: String {
    var shapes = ""
    for (index, pin) in pins.enumerated() {
      let isLeft = index % 2 == 0
      let (x, y) = (isLeft ? 388 : 412, 24 + index / 2 * 24)
      shapes += """
        <circle cx="\(x)" cy="\(y)" r="8" fill="\(pin.colour)" stroke="#333"/>
        <text x="\(x)" y="\(y + 3)" font-size="8" text-anchor="middle">\(index + 1)</text>
        <text x="\(isLeft ? 370 : 430)" y="\(y + 4)" font-size="12" \
        text-anchor="\(isLeft ? "end" : "start")">\(escaped(pin.label(isLeft: isLeft)))</text>

        """
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="800" height="504" \
      font-family="sans-serif">
      <rect width="800" height="504" fill="white"/>
      <rect x="374" y="10" width="52" height="484" rx="4" fill="#dde" stroke="#333"/>
      \(shapes)</svg>

      """
  }

  private static func uses(_ configuration: Configuration) -> [Int: String] {
    let controls = configuration.brains.controls
    var uses: [Int: String] = [:]
    func add(_ line: Line, _ use: String) {
      uses[Int(line.number), default: ""] += (uses[Int(line.number)] == nil ? "" : ", ") + use
    }
    for button in controls.buttons { add(button.line, "button") }
    for toggle in controls.switches { add(toggle.line, "switch") }
    for knob in controls.knobs {
      let use = configuration.use(ofKnob: knob.a).map { " for " + $0 } ?? ""
      add(knob.a, "knob A" + use)
      add(knob.b, "knob B" + use)
    }
    for line in (controls.buttons + controls.switches).map(\.line) {
      for meaning in configuration.meanings(of: line) { add(line, meaning) }
    }
    for light in configuration.lights {
      if case .line(let line) = light.place { add(line, "light for \(light.shows.rawValue)") }
    }
    if let line = configuration.amplifier { add(line, "amplifier") }
    return uses
  }

  private func padded(_ text: String, _ width: Int, toRight: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return toRight ? space + text : text + space
  }

  private func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }

  private func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      default: String(character)
      }
    }.joined()
  }
}

extension Pinout.Pin {
  fileprivate func label(isLeft: Bool) -> String {
    if use.isEmpty { return name }
    return isLeft ? "\(use)  \(name)" : "\(name)  \(use)"
  }

  fileprivate var colour: String {
    switch name {
    case "5 V": "#e66"
    case "3.3 V": "#fa6"
    case "ground": "#888"
    default: use.isEmpty ? "#fff" : "#7c7"
    }
  }
}
