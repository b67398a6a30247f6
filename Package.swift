// swift-tools-version: 6.3
import PackageDescription

let common: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]
let facingC = common + [.strictMemorySafety()]

/// A C library of the system, wrapped in a module map and a small header.
func clib(_ name: String, pkgConfig: String? = nil, apt: String) -> Target {
  .systemLibrary(
    name: "C" + name, path: "Sources/C/" + name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
  name: "jukebox",
  products: [.executable(name: "jukebox", targets: ["Appliance"])],
  targets: [
    clib("ALSA", pkgConfig: "alsa", apt: "libasound2-dev"),
    clib("MPG123", pkgConfig: "libmpg123", apt: "libmpg123-dev"),
    clib("SndFile", pkgConfig: "sndfile", apt: "libsndfile1-dev"),
    clib("VorbisFile", pkgConfig: "vorbisfile", apt: "libvorbis-dev"),
    clib("OpusFile", pkgConfig: "opusfile", apt: "libopusfile-dev"),
    clib("SoXR", pkgConfig: "soxr", apt: "libsoxr-dev"),
    clib("EBUR128", pkgConfig: "libebur128", apt: "libebur128-dev"),
    clib("SQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    clib("Linux", apt: "libc6-dev"),
    clib("GPIOD", pkgConfig: "libgpiod", apt: "libgpiod-dev"),
    clib("Udev", pkgConfig: "libudev", apt: "libudev-dev"),
    .target(name: "CFFmpeg", path: "Sources/C/FFmpeg"),
    .target(
      name: "CTagLib", path: "Sources/C/TagLib",
      linkerSettings: [.linkedLibrary("tag")]),
    .target(name: "CTOML", path: "Sources/C/TOML"),
    .target(
      name: "CEvdev", path: "Sources/C/Evdev",
      linkerSettings: [.linkedLibrary("evdev")]),

    .target(name: "Jukebox", swiftSettings: common),
    .target(
      name: "Audio",
      dependencies: [
        "CALSA", "CMPG123", "CSndFile", "CVorbisFile", "COpusFile", "CSoXR", "CLinux", "CFFmpeg",
      ],
      swiftSettings: facingC),
    .target(
      name: "Library",
      dependencies: ["Jukebox", "CTagLib", "CSQLite", "CEBUR128", "CFFmpeg", "CLinux"],
      swiftSettings: facingC),
    .target(name: "Remote", swiftSettings: common),
    .target(
      name: "Devices",
      dependencies: ["Jukebox", "CUdev", "CGPIOD", "CEvdev", "CTOML", "CLinux"],
      swiftSettings: facingC),
    .executableTarget(
      name: "Appliance",
      dependencies: ["Jukebox", "Audio", "Library", "Remote", "Devices", "CLinux"],
      swiftSettings: facingC),

    .executableTarget(
      name: "Simulator", dependencies: ["Jukebox"], path: "Tests/Simulator",
      swiftSettings: common),
    .executableTarget(
      name: "Fuzz", dependencies: ["Audio", "Jukebox", "Library"], path: "Tests/Fuzz",
      swiftSettings: common),
    .executableTarget(
      name: "PowerCut", dependencies: ["Jukebox", "Library"], path: "Tests/PowerCut",
      swiftSettings: common),

    .testTarget(
      name: "JukeboxTests", dependencies: ["Jukebox", "Simulator"], path: "Tests/Jukebox",
      swiftSettings: common),
    .testTarget(
      name: "AudioTests", dependencies: ["Audio"], path: "Tests/Audio", swiftSettings: common),
    .testTarget(
      name: "LibraryTests", dependencies: ["Jukebox", "Library"], path: "Tests/Library",
      swiftSettings: common),
    .systemLibrary(
      name: "CUmockdev", path: "Tests/Support/umockdev", pkgConfig: "umockdev-1.0",
      providers: [.apt(["libumockdev-dev"])]),
    .target(name: "CFakeGPIO", path: "Tests/Support/fakegpio"),
    .executableTarget(
      name: "Testbed", dependencies: ["Devices", "Jukebox", "CUmockdev", "CFakeGPIO"],
      path: "Tests/Testbed", swiftSettings: common),
    .testTarget(
      name: "DevicesTests", dependencies: ["Devices", "Jukebox", "Testbed"],
      path: "Tests/Devices", swiftSettings: common),
    .testTarget(
      name: "RemoteTests", dependencies: ["Remote"], path: "Tests/Remote", swiftSettings: common),
    .testTarget(
      name: "ApplianceTests", dependencies: ["Appliance", "Jukebox", "Library"],
      path: "Tests/Appliance", swiftSettings: common),
  ],
  cxxLanguageStandard: .cxx17
)

// The thread sanitizer asks for the sound alone, since the rest would be compiled for nothing.
if let room = Context.environment["ROOM"] {
  let kept = [room, room + "Tests"]
  package.products = []
  package.targets.removeAll { target in
    target.type != .system && !target.name.hasPrefix("C") && !kept.contains(target.name)
  }
}
