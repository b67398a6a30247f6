# shellcheck shell=bash disable=SC2034
# What `try` and `test` share: the toolchain and the packages a build needs. To be sourced by bash.

build_packages=(
  g++ binutils pkg-config libc6-dev
  libasound2-dev libmpg123-dev libsndfile1-dev libvorbis-dev libopusfile-dev libsoxr-dev libtag1-dev
  libsqlite3-dev libebur128-dev libudev-dev libgpiod-dev libevdev-dev libtomlplusplus-dev
  libavformat-dev libavcodec-dev libswscale-dev
)

# Ends the script in one sentence if Swift 6.3 or newer is not there.
need_swift() {
  local version
  version=$(swift --version 2>/dev/null | grep -oE 'Swift version [0-9]+\.[0-9]+' | head -n 1) || true
  version=${version##* }
  if [[ ! $version ]] || ((${version%.*} * 100 + ${version#*.} < 603)); then
    echo "${0##*/}: needs the Swift 6.3 toolchain${version:+, but finds $version}: get the tarball for" \
      "Debian 12 at https://www.swift.org/install/linux, unpack it, and put its usr/bin on PATH." >&2
    exit 1
  fi
}

# Prints those of the packages named that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

# Installs those of the packages named that are missing; says which command to run where it can't.
need_packages() {
  local missing sudo=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    if [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null || ! command -v sudo >/dev/null; then
      echo "${0##*/}: please run as root: apt-get install --no-install-recommends ${missing[*]}" >&2
      return 1
    fi
    sudo=(sudo)
  fi
  echo "Installing ${missing[*]}"
  local install=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get install -y -q --no-install-recommends "${missing[@]}")
  "${install[@]}" >/dev/null 2>&1 || { "${sudo[@]}" apt-get update -q && "${install[@]}"; }
}

# Swift's options for the binary that ships. Colours would be part of each command, so that a build without
# a terminal would start all over.
release_options=(
  -c release --static-swift-stdlib --explicit-target-dependency-import-check error --no-color-diagnostics
)
