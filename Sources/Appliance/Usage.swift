extension Help {
  /// What `--help` prints.
  var text: String {
    switch self {
    case .general:
      """
      jukebox plays music, without gaps.

      jukebox play [OPTION]... PATH...   plays files, folders, playlists and cue sheets
      jukebox demo FOLDER                writes a demo album to FOLDER
      jukebox replay FILE                runs a recording of the appliance's events again
      jukebox --version                  says which version this is
      jukebox play --help                says more about playing

      """
    case .play:
      """
      jukebox play [OPTION]... PATH...

      Plays files, folders and all that is in them (by disc, track and name), playlists (M3U, M3U8,
      PLS) and cue sheets, one after the other and without gaps.

        --device NAME       the ALSA PCM to play to (default: default); "silent" makes no sound, but
                            keeps real time
        --to FILE.wav       writes a WAV file as fast as it can instead of playing
        --bits 16|24|32     the size of the WAV file's samples (default: 16)
        --rate HZ|source    the output's sampling rate (default: source, the music's own)
        --start SECONDS     where in the first track to start
        --volume DB         from -100 to 0 (default: 0, which leaves the samples as they are)
        --replaygain off|track|album
                            plays all at one loudness, as the files' tags say (default: off)
        --buffer-ms N       how much sound the device is given ahead, 20 to 10000 (default: 1000)
        --rewind auto|always|never
                            whether that sound is taken back to make a key heard at once
                            (default: auto, where the device can)
        --verbose           says more about the device and the formats on stderr
        --                  what follows is a PATH, even if it starts with a dash

      Keys: space pauses and goes on, n and p are next and previous, left and right seek by 5 seconds,
      + and - change the volume, q quits.

      Exit status: 0 if all was played that could be (each file that couldn't is named on stderr, with
      the reason), or if you quit; 1 if nothing at all could be played; 2 for a wrong command line.

      """
    }
  }
}
