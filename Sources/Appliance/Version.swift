/// This program's version, by semver.org.
let version = "0.1.0"
