internal import CALSA
internal import CLinux

/// A sound card's own volume control: a simple mixer element that knows decibels.
///
/// Call from one thread; a USB card may take its time to answer.
@safe public final class Mixer {
  /// The element's name, as alsamixer has it.
  public let name: String
  private let mixer: OpaquePointer
  private let element: OpaquePointer

  /// What is looked for, in this order: a DAC's own volume is called Digital, a USB card's PCM.
  private static let usual = ["Digital", "Master", "PCM", "Headphone", "Speaker"]

  /// Opens the control device of an ALSA PCM; nil if there is none, or none with the element.
  ///
  /// Without a name it is the first that is there of Digital, Master, PCM, Headphone and Speaker, else the
  /// first at all that has a volume in decibels.
  public init?(device: String, element wanted: String? = nil) {
    var opened: OpaquePointer?
    unsafe snd_mixer_open(&opened, 0)
    guard let mixer = unsafe opened else { return nil }
    let found = unsafe Self.volumes(mixer, Self.control(of: device))
    let best =
      (wanted.map { [$0] } ?? Self.usual).lazy
      .compactMap { name in found.first { $0.name == name } }.first
    guard let volume = best ?? (wanted == nil ? found.first : nil) else {
      unsafe snd_mixer_close(mixer)
      return nil
    }
    unsafe self.mixer = unsafe mixer
    unsafe element = unsafe volume.element
    name = volume.name
  }

  deinit { unsafe snd_mixer_close(mixer) }

  /// The plugins that convert have no mixer; their card has, and others are called as their PCM is.
  private static func control(of device: String) -> String {
    for plugin in ["plughw:", "hdmi:", "iec958:"] where device.hasPrefix(plugin) {
      return "hw:" + device.dropFirst(plugin.count).prefix { $0 != "," }
    }
    return device
  }

  @safe private struct Candidate {
    let name: String
    let element: OpaquePointer
  }

  /// The elements of a control device that have a volume in decibels.
  private static func volumes(_ mixer: OpaquePointer, _ control: String) -> [Candidate] {
    guard unsafe snd_mixer_attach(mixer, control) == 0,
      unsafe snd_mixer_selem_register(mixer, nil, nil) == 0, unsafe snd_mixer_load(mixer) == 0
    else { return [] }
    var found: [Candidate] = []
    var next = unsafe snd_mixer_first_elem(mixer)
    while let element = unsafe next {
      unsafe next = snd_mixer_elem_next(element)
      var (least, most) = (0, 0)
      if unsafe snd_mixer_selem_is_active(element) != 0
        && snd_mixer_selem_has_playback_volume(element) != 0
        && snd_mixer_selem_get_playback_dB_range(element, &least, &most) == 0 && least < most,
        let name = unsafe snd_mixer_selem_get_name(element)
      {
        found.append(unsafe Candidate(name: String(cString: name), element: element))
      }
    }
    return found
  }

  /// The volume (dB), and whether the switch beside it is off; nil if the card is gone.
  public var state: (decibels: Double, isMuted: Bool)? {
    var hundredths = 0
    guard
      unsafe snd_mixer_selem_get_playback_dB(element, SND_MIXER_SCHN_MONO, &hundredths) == 0
    else { return nil }
    var isOn: Int32 = 1
    if unsafe snd_mixer_selem_has_playback_switch(element) != 0 {
      unsafe snd_mixer_selem_get_playback_switch(element, SND_MIXER_SCHN_MONO, &isOn)
    }
    return (Double(hundredths) / 100, isOn == 0)
  }

  /// Sets the least volume of the card that is not below `decibels`, and the switch on, of all channels.
  public func set(decibels: Double) {
    let hundredths = Int((max(decibels, -600) * 100).rounded(.down))
    unsafe snd_mixer_selem_set_playback_dB_all(element, hundredths, 1)
    if unsafe snd_mixer_selem_has_playback_switch(element) != 0 {
      unsafe snd_mixer_selem_set_playback_switch_all(element, 1)
    }
  }

  /// To be waited for, all of them: then `takeChanges`.
  public var descriptors: [Int32] {
    let count = Int(unsafe snd_mixer_poll_descriptors_count(mixer))
    var waits = [pollfd](repeating: pollfd(), count: max(0, count))
    let used = unsafe snd_mixer_poll_descriptors(mixer, &waits, UInt32(waits.count))
    return waits.prefix(max(0, Int(used))).map(\.fd)
  }

  /// Takes in what others have changed; false if the card is gone.
  public func takeChanges() -> Bool { unsafe snd_mixer_handle_events(mixer) >= 0 }
}
