public import Jukebox

/// Learning on the board itself: every free line of the chip is listened to.
public struct Listening: ~Copyable {
  private var gpio: GPIO
  private var learning: Learning
  public let lines: [Line]
  /// Why nothing can be heard, where that is so.
  public let troubles: [LineTrouble]

  /// Of the chip with the label; nil for that of a board known here.
  public init(for wish: Learning.Wish, chip: String?, at now: Instant) throws(DeviceError) {
    let (free, trouble) = GPIO.freeLines(of: chip)
    var gpio = try GPIO(chip: chip, inputs: free.map { GPIO.Input($0) })
    var levels: [Line: Bool] = [:]
    while let event = gpio.next() {
      switch event {
      case .level(let line, let isHigh, _), .edge(let line, let isHigh, _): levels[line] = isHigh
      }
    }
    learning = Learning(wish, levels: levels, at: now)
    lines = levels.keys.sorted { $0.number < $1.number }
    troubles = trouble.map { [$0] } ?? gpio.troubles
    self.gpio = gpio
  }

  /// Readable when a line has moved; `next` is to be called now and then all the same.
  public var descriptor: Int32 { gpio.descriptor }

  /// Lines that moved while nobody touched anything.
  public var noisy: [Line] { learning.noisy.sorted { $0.number < $1.number } }

  public func isQuiet(at now: Instant) -> Bool { learning.isQuiet(at: now) }

  /// Takes in what the lines did until now.
  public mutating func next(at now: Instant) -> Learning.Finding? {
    while let event = gpio.next() {
      guard case .edge(let line, let isHigh, let time) = event else { continue }
      if let finding = learning.edge(line, isHigh: isHigh, at: time) { return finding }
    }
    return learning.timePassed(at: now)
  }
}

extension GPIO {
  /// The lines that nobody holds; of a Raspberry Pi, only those that its header has.
  static func freeLines(of label: String?) -> (lines: [Line], trouble: LineTrouble?) {
    switch Chip.find(label) {
    case .failure(let trouble): return ([], trouble)
    case .success(let chip):
      let count = Chip.usualLabels.contains(chip.label) ? min(28, chip.count) : chip.count
      let lines = (0..<count).map { Line(UInt16($0)) }
      return (lines.filter { chip.info(of: $0)?.holder == nil }, nil)
    }
  }
}
