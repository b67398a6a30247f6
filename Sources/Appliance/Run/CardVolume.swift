internal import Audio
internal import CLinux
internal import Devices
internal import Glibc
internal import Jukebox

/// The volume of the card itself, on a thread of its own: a USB card may take its time to answer.
///
/// With it a DAC uses all its bits at any volume. What the card's steps leave over, and all fades, are the
/// renderer's.
final class CardVolume: Sendable {
  enum Report: Equatable, Sendable {
    /// The card's volume is set by this element from now on.
    case found(String)
    /// The card is at this volume (dB) since it was asked to be.
    case set(Double)
    /// Somebody else has turned the card's volume (dB), or muted it.
    case turned(Double, isMuted: Bool)
    /// There is no mixer, or no more.
    case none
  }

  private enum Wish: Sendable {
    case open(device: String, element: String?)
    case level(Double)
  }

  let reports = Mailbox<Report>()
  private let wishes = Mailbox<Wish>()

  /// A volume as near as this (dB) to what is wanted is left as it is: half a level of the knob.
  private static let tolerance = 0.25

  /// Opens the mixer of a PCM's card, if it has one; again, if it was open.
  func open(_ device: String, element: String?) {
    wishes.post(.open(device: device, element: element))
  }

  /// Asks for a volume (dB), at most 0; the card may be set a little higher, never lower.
  func set(decibels: Double) { wishes.post(.level(decibels)) }

  func start() { startThread("mixer") { [self] in run() } }

  // MARK: - The thread

  private func run() {
    let wait = epoll_create1(Int32(EPOLL_CLOEXEC))
    clinux_watch(wait, EPOLL_CTL_ADD, wishes.descriptor, EPOLLIN.rawValue, 0)
    var mixer: Mixer?
    var told: (decibels: Double, isMuted: Bool)?
    while true {
      clinux_await(wait, -1)
      // First what others did, so that it is not taken for what is asked for below.
      if let open = mixer, !open.takeChanges() || !report(open, &told) {
        mixer = nil
        reports.post(.none)
      }
      for wish in wishes.take() {
        switch wish {
        case .open(let device, let element):
          // The descriptors of the old one leave the set as they are closed.
          mixer = nil
          mixer = Mixer(device: device, element: element)
          for descriptor in mixer?.descriptors ?? [] {
            clinux_watch(wait, EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue, 0)
          }
          told = nil
          reports.post(mixer.map { .found($0.name) } ?? .none)
        case .level(let decibels):
          guard let mixer else { continue }
          if let state = mixer.state,
            state.isMuted || abs(state.decibels - decibels) > Self.tolerance
          {
            mixer.set(decibels: decibels)
          }
          told = mixer.state
          if let told { reports.post(.set(told.decibels)) }
        }
      }
    }
  }

  /// Tells of what is not as it was told last; false if the card is gone.
  private func report(_ mixer: Mixer, _ told: inout (decibels: Double, isMuted: Bool)?) -> Bool {
    guard let state = mixer.state else { return false }
    if let old = told, old != state {
      told = state
      reports.post(.turned(state.decibels, isMuted: state.isMuted))
    }
    return true
  }
}

extension Decibels {
  var decibels: Double { Double(hundredths) / 100 }
}

extension Appliance {
  /// Looks for the volume of the card that is in use now. Until it is there the renderer makes all of it.
  func openMixer() {
    sound.onCard = nil
    sound.askedOfCard = nil
    cardVolume.open(sound.device, element: settings.mixer)
    setVolume()
  }

  /// Asks the card for the volume that the user wants; gives what it makes of it (dB), at most 0.
  ///
  /// Silence and what is only for a while, such as fades, are not for the card.
  func setCardVolume() -> Double {
    guard sound.onCard != nil else { return 0 }
    let level = player.volume.level
    guard level > 0, !player.volume.isMuted else { return sound.onCard ?? 0 }
    let wanted = min(Volume.gain(of: level) + settings.offset, .unity).decibels
    if wanted != sound.askedOfCard {
      sound.askedOfCard = wanted
      // It may take its time: until it has answered it counts as the louder of the two.
      sound.onCard = max(wanted, sound.onCard ?? wanted)
      cardVolume.set(decibels: wanted)
    }
    return min(0, sound.onCard ?? 0)
  }

  func take(_ report: CardVolume.Report) {
    switch report {
    case .found(let element):
      journal.say("the volume is the card's own, \(element)")
      let wanted = min(Volume.gain(of: max(1, player.volume.level)) + settings.offset, .unity)
      sound.askedOfCard = wanted.decibels
      cardVolume.set(decibels: wanted.decibels)
    case .set(let decibels):
      sound.onCard = decibels
      setVolume()
    case .turned(let decibels, let isMuted):
      sound.onCard = decibels
      sound.askedOfCard = isMuted ? nil : decibels
      if isMuted {
        tell(.pressed(.mute(true)))
      } else {
        let level = 100 + (2 * (decibels - settings.offset.decibels)).rounded()
        tell(.pressed(.setVolume(Int(min(max(level, 0), 100)))))
      }
      setVolume()
    case .none:
      if let element = settings.mixer { journal.warn("the card has no volume called \(element)") }
      sound.onCard = nil
      setVolume()
    }
  }
}
