internal import CALSA
internal import CLinux

/// An ALSA call that failed.
struct ALSAError: Error, Equatable, CustomStringConvertible {
  /// The function's name.
  var call: String
  /// Negative errno.
  var code: Int32

  /// One line for the user.
  var description: String {
    switch (call, -code) {
    case ("snd_pcm_open", ENOENT), ("snd_pcm_open", ENODEV): "there is no such sound card"
    case ("snd_pcm_open", EBUSY): "another program has the sound card"
    case ("snd_pcm_open", EACCES), ("snd_pcm_open", EPERM): "no right to use the sound card"
    case ("snd_pcm_hw_params_test_rate", _): "the sound card has none of the usual rates"
    case ("snd_pcm_hw_params_set_channels", _): "the sound card has no two channels to give"
    default: unsafe "\(call): \(String(cString: snd_strerror(code)))"
    }
  }

  static func check(_ code: Int32, _ call: String) throws(ALSAError) {
    if code < 0 { throw ALSAError(call: call, code: code) }
  }
}

/// When samples that the card has, but that are not heard yet, are rendered again.
public enum Rewinding: String, Sendable, CaseIterable {
  /// Where the PCM is the card itself (`hw`).
  case auto
  /// On plugins too: the user knows that this one can.
  case always
  case never
}

/// An open ALSA playback device; owns the handle and sets it up.
@safe struct PCM: ~Copyable {
  /// Rates that are asked for (Hz), in rising order; a set of them has a bit each.
  static let rates = [
    8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 176_400,
    192_000, 352_800, 384_000,
  ]

  private let pcm: OpaquePointer

  /// Opens a device by its ALSA name; snd_pcm_open. It never waits for a busy one.
  init(device: String) throws(ALSAError) {
    var pcm: OpaquePointer?
    // The rate and the format are ours to convert: alsa-lib's plug is not asked to.
    let flags = SND_PCM_NONBLOCK | SND_PCM_NO_AUTO_RESAMPLE | SND_PCM_NO_AUTO_FORMAT
    let code = unsafe snd_pcm_open(&pcm, device, SND_PCM_STREAM_PLAYBACK, Int32(flags))
    try ALSAError.check(code, "snd_pcm_open")
    guard let pcm = unsafe pcm else { throw ALSAError(call: "snd_pcm_open", code: -ENODEV) }
    unsafe self.pcm = pcm
  }

  deinit { unsafe snd_pcm_close(pcm) }

  /// The rates of `rates` that the device can run at, a bit each; snd_pcm_hw_params_test_rate.
  func supportedRates() throws(ALSAError) -> UInt32 {
    try unsafe withParameters { (params) throws(ALSAError) in
      var set: UInt32 = 0
      for (index, rate) in Self.rates.enumerated()
      where unsafe snd_pcm_hw_params_test_rate(pcm, params, UInt32(rate), 0) == 0 {
        set |= 1 << UInt32(index)
      }
      if set == 0 { throw ALSAError(call: "snd_pcm_hw_params_test_rate", code: -EINVAL) }
      return set
    }
  }

  /// Sets the device up for two channels at `rate` (Hz) and makes it ready.
  ///
  /// `buffer` is the time that the card should hold, in microseconds, and at most `limit` frames.
  func configure(
    rate: Int32, buffer: UInt32, limit: Int, rewinding: Rewinding
  ) throws(ALSAError) -> Card {
    unsafe snd_pcm_drop(pcm)
    unsafe snd_pcm_hw_free(pcm)
    return try unsafe withParameters { (params) throws(ALSAError) in
      var isMapped = true
      if unsafe snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_MMAP_INTERLEAVED) < 0 {
        isMapped = false
        let code = unsafe snd_pcm_hw_params_set_access(
          pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED)
        try ALSAError.check(code, "snd_pcm_hw_params_set_access")
      }
      try ALSAError.check(
        unsafe snd_pcm_hw_params_set_channels(pcm, params, 2), "snd_pcm_hw_params_set_channels")
      try ALSAError.check(
        unsafe snd_pcm_hw_params_set_rate(pcm, params, UInt32(rate), 0),
        "snd_pcm_hw_params_set_rate")
      guard
        let format = SampleFormat.allCases.first(where: {
          unsafe snd_pcm_hw_params_set_format(pcm, params, $0.alsa) == 0
        })
      else { throw ALSAError(call: "snd_pcm_hw_params_set_format", code: -EINVAL) }
      let canRewind =
        switch rewinding {
        case .auto: unsafe snd_pcm_type(pcm) == SND_PCM_TYPE_HW
        case .always: true
        case .never: false
        }
      // Short periods where the fill is shallow, and for cards that move their place by whole ones.
      let isBatch = unsafe snd_pcm_hw_params_is_batch(params) == 1
      var period: UInt32 = isBatch || !canRewind ? min(20_000, buffer / 4) : buffer / 4
      var time = buffer
      try ALSAError.check(
        unsafe snd_pcm_hw_params_set_period_time_near(pcm, params, &period, nil),
        "snd_pcm_hw_params_set_period_time_near")
      try ALSAError.check(
        unsafe snd_pcm_hw_params_set_buffer_time_near(pcm, params, &time, nil),
        "snd_pcm_hw_params_set_buffer_time_near")
      try ALSAError.check(unsafe snd_pcm_hw_params(pcm, params), "snd_pcm_hw_params")
      var size: snd_pcm_uframes_t = 0
      var periodSize: snd_pcm_uframes_t = 0
      try ALSAError.check(unsafe snd_pcm_get_params(pcm, &size, &periodSize), "snd_pcm_get_params")
      try configureSoftware(size: size)
      try ALSAError.check(unsafe snd_pcm_prepare(pcm), "snd_pcm_prepare")

      let frames = Int(size)
      let shallow = max(Int(rate) * 60 / 1000, 3 * Int(periodSize))
      return unsafe Card(
        pcm: pcm, isMapped: isMapped, rate: rate, format: format, size: frames,
        target: min(frames, canRewind ? limit : shallow),
        margin: canRewind ? (isBatch ? Int(periodSize) : Int(rate) * 3 / 1000) : nil,
        padding: min(frames / 2, max(Int(periodSize), Int(rate) / 50)))
    }
  }

  /// The descriptors to poll beside the thread's own; snd_pcm_poll_descriptors.
  ///
  /// They are polled for errors only: when to fill up is told by the clock. A plugin can't tell an
  /// error from its own events, of which there are few, as no period is waited for.
  func descriptors() -> [pollfd] {
    let count = unsafe max(0, snd_pcm_poll_descriptors_count(pcm))
    return unsafe [pollfd](unsafeUninitializedCapacity: Int(count)) { buffer, used in
      used = Int(max(0, unsafe snd_pcm_poll_descriptors(pcm, buffer.baseAddress, UInt32(count))))
      if unsafe snd_pcm_type(pcm) == SND_PCM_TYPE_IOPLUG { return }
      for index in 0..<used { unsafe buffer[index].events = 0 }
    }
  }

  /// Runs until started by hand, and stops only when it is dry.
  private func configureSoftware(size: snd_pcm_uframes_t) throws(ALSAError) {
    var params: OpaquePointer?
    guard unsafe snd_pcm_sw_params_malloc(&params) == 0, let params = unsafe params else {
      throw ALSAError(call: "snd_pcm_sw_params_malloc", code: -ENOMEM)
    }
    defer { unsafe snd_pcm_sw_params_free(params) }
    try ALSAError.check(
      unsafe snd_pcm_sw_params_current(pcm, params), "snd_pcm_sw_params_current")
    var boundary: snd_pcm_uframes_t = 0
    _ = unsafe snd_pcm_sw_params_get_boundary(params, &boundary)
    _ = unsafe snd_pcm_sw_params_set_start_threshold(pcm, params, boundary)
    _ = unsafe snd_pcm_sw_params_set_stop_threshold(pcm, params, size)
    _ = unsafe snd_pcm_sw_params_set_avail_min(pcm, params, size)
    try ALSAError.check(unsafe snd_pcm_sw_params(pcm, params), "snd_pcm_sw_params")
  }

  private func withParameters<R: ~Copyable>(
    _ body: (OpaquePointer) throws(ALSAError) -> R
  ) throws(ALSAError) -> R {
    var params: OpaquePointer?
    guard unsafe snd_pcm_hw_params_malloc(&params) == 0, let params = unsafe params else {
      throw ALSAError(call: "snd_pcm_hw_params_malloc", code: -ENOMEM)
    }
    defer { unsafe snd_pcm_hw_params_free(params) }
    try ALSAError.check(unsafe snd_pcm_hw_params_any(pcm, params), "snd_pcm_hw_params_any")
    return try unsafe body(params)
  }
}

extension SampleFormat {
  var alsa: snd_pcm_format_t {
    switch self {
    case .s32: SND_PCM_FORMAT_S32_LE
    case .s24: SND_PCM_FORMAT_S24_LE
    case .s24x3: SND_PCM_FORMAT_S24_3LE
    case .float: SND_PCM_FORMAT_FLOAT_LE
    case .s16: SND_PCM_FORMAT_S16_LE
    }
  }

  public var name: String {
    switch self {
    case .s32: "32 bit"
    case .s24, .s24x3: "24 bit"
    case .float: "32 bit float"
    case .s16: "16 bit"
    }
  }
}
