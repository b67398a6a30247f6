import Audio
import Glibc

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "--to" {
  let paths = Array(arguments.dropFirst(2))
  var index = 1
  let bounce = Bounce(to: Array(arguments)[1], format: .int16, rate: nil, volume: 0)
  let n = try bounce.render(
    Item(id: 0, source: Source(path: paths[0])), from: .zero,
    next: {
      guard index < paths.count else { return nil }
      defer { index += 1 }
      return Item(id: UInt32(index), source: Source(path: paths[index]))
    }, report: { print($0) })
  print(n)
} else {
  let device = Array(arguments)[0]
  let paths = Array(arguments.dropFirst(1))
  let deck = Deck(OutputSettings(device: device, rewinding: .always))
  deck.play(Item(id: 0, source: Source(path: paths[0])))
  var next = 1
  loop: while true {
    var p = pollfd(fd: deck.descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&p, 1, 1000)
    for e in deck.takeEvents() {
      print(e)
      switch e {
      case .wantsNext:
        deck.follow(with: next < paths.count ? Item(id: UInt32(next), source: Source(path: paths[next])) : nil)
        next += 1
      case .finished: break loop
      default: break
      }
    }
    print(deck.position as Any)
  }
}
