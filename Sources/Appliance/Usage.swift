extension Help {
  /// What `--help` prints.
  var text: String {
    switch self {
    case .general:
      """
      jukebox plays music, without gaps.

      jukebox play [OPTION]... PATH...   plays files, folders, playlists and cue sheets
      jukebox run [OPTION]...            is the appliance: plays what is plugged in
      jukebox scan [OPTION]... PATH...   takes the music of media or folders into the library
      jukebox query [OPTION]...          asks the library
      jukebox media [OPTION]...          says which media the library remembers
      jukebox playlist VERB ...          makes, changes, shows and saves playlists
      jukebox picture [OPTION]... PATH   gives the picture of a track, scaled
      jukebox demo FOLDER                writes a demo album to FOLDER
      jukebox replay FILE                runs a recording of the appliance's events again
      jukebox check-config FILE...       tells what is wrong in settings files, and what would be right
      jukebox pinout [--svg FILE] [SETTINGS]...
                                         draws the board's header with what is wired where
      jukebox learn button|knob KEY=ACTION... [--config FILE] [--chip LABEL]
              [--by-sound [--device NAME]]
                                         finds out where it is wired, and writes it down
      jukebox doctor [--press] [--json] [SETTINGS]...
                                         looks the machine over, and says what to do; --press tells what
                                         each button does, with its bounces
      jukebox --version                  says which version this is
      jukebox play --help                says more about playing; so does each --help

      """
    case .play:
      """
      jukebox play [OPTION]... PATH...

      Plays files, folders and all that is in them (by disc, track and name), playlists (M3U, M3U8,
      PLS, XSPF) and cue sheets, one after the other and without gaps.

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
      + and - change the volume, m mutes, q quits.

      Exit status: 0 if all was played that could be (each file that couldn't is named on stderr, with
      the reason), or if you quit; 1 if nothing at all could be played; 2 for a wrong command line.

      """
    case .run:
      """
      jukebox run [OPTION]...

      Is the appliance: plays the music of media as they are plugged in, goes on after a restart
      where it was, and obeys buttons, knobs and media keys, and remotes on a socket that
      speaks MPD's protocol.

        --config FILE       settings, read after the board's, /etc/jukebox/jukebox.toml and the one beside
                            the boot files; options here overrule them all; one that is written anew is
                            read again, as are all on SIGHUP
        --media DIR         a folder that stands for a medium; it may come and go; may be repeated
        --state DIR         what outlives a restart, and the socket (default: $STATE_DIRECTORY, or else
                            jukebox in $XDG_STATE_HOME or ~/.local/state)
        --library FILE      the library (default: library.db in the state's folder)
        --on-plug auto|nothing|start|left|shuffle|playlist
                            what plays when a medium comes: nothing, its first track, the one that was
                            left, any, or its playlist (default: auto, which is left while nothing plays)
        --device NAME       the ALSA PCM to play to (default: the first of the settings' cards that is
                            here, else default); "silent" makes no sound
        --buffer-ms N, --rewind WORD, --replaygain WORD
                            as of play
        --rest-minutes N    how long without sound until the card is given back (default: 5)
        --panel terminal|none
                            draws the front panel of the settings on the terminal: display, level, lights
                            and controls, which are typed; SIGHUP ends it then (default: none)
        --verbose           says more on stderr

      On stderr there is one line a fact, with the journal's priority before it. SIGTERM fades out,
      saves and ends it within a second.

      Exit status: that of the signal that ended it; 1 if it can't start; 2 for a wrong command line.

      """
    case .scan:
      """
      jukebox scan [OPTION]... PATH...

      Takes the music of each PATH, a medium's mount point or a folder, into the library; if it is
      there already, what has changed since. A medium is known again by its filesystem, wherever it is.

        --library FILE      the library (default: library.db in $STATE_DIRECTORY, or else in
                            $XDG_STATE_HOME/jukebox or ~/.local/state/jukebox)
        --report            names each file that could not be read or is no music, with the reason
        --quiet             shows no progress
        --loudness          then measures how loud the tracks are that have no gain in their tags (EBU
                            R 128), each once and for ever; with no PATH, those of all media here
        --forget            forgets the media instead, and all that is known of their tracks
        --keep N            forgets media that are away, the longest away first, all but N

      Exit status: 0 if all was scanned; 1 if a PATH or the library failed; 2 for a wrong command line.

      """
    case .media:
      """
      jukebox media [OPTION]...                 says which media the library remembers
      jukebox media forget [OPTION]... UUID...  forgets media, and all that is known of their tracks

      A line is of a medium: whether it is here, how many tracks it has, its name, where it is or was,
      and its UUID.

        --json              one JSON object a line
        --library FILE      the library, as of scan

      """
    case .playlist:
      """
      jukebox playlist list                     says which lists there are, yours and those on media
      jukebox playlist show NAME                names the tracks of a list, with their places
      jukebox playlist new NAME [QUERY]         makes a list, of the tracks that a query gives
      jukebox playlist add NAME QUERY           puts tracks at the end of a list
      jukebox playlist take NAME PLACE...       takes tracks out of a list; 1 is the first place
      jukebox playlist remove NAME              deletes a list
      jukebox playlist save NAME FILE           writes a list as an M3U8 file

      A QUERY is words and options as of query: jukebox playlist new Fugues --where title~fuga

        --library FILE      the library, as of scan

      """
    case .picture:
      """
      jukebox picture [OPTION]... PATH

      Gives the picture of a music file: the front cover in it, else the one in its folder, else what is
      to be seen in it if it is a video. A PATH of a picture is that picture.

        --track NUMBER      of a track of the library instead, by its id as of query --json
        --size N            scaled to fit N times N pixels, never enlarged, as JPEG or PNG (default: as
                            it is stored)
        --at SECONDS        where in a video (default: 10)
        --to FILE           where to write it (default: -, which is stdout)
        --cache FOLDER      where scaled pictures are kept, 32 MB at most (default: pictures in
                            $CACHE_DIRECTORY, $XDG_CACHE_HOME/jukebox or ~/.cache/jukebox)
        --library FILE      the library, as of scan

      """
    case .query:
      """
      jukebox query [OPTION]... [WORD]...

      Gives the tracks of the library that all the filters let through; with WORDs, those in which each
      of them begins a word, best first.

        --where PROPERTY=VALUE   equals; PROPERTY~VALUE contains, PROPERTY^VALUE begins with,
                                 PROPERTY>=N and PROPERTY<=N; whatever the case and accents
        --group GROUP            what the tracks are gathered by: title (the tracks themselves), album,
                                 artist, albumartist, composer, genre, playlist, podcast, folder, year
        --list NAME              a ready-made query, to which the others are added: songs, albums,
                                 artists, albumartists, composers, genres, compilations, playlists,
                                 podcasts, audiobooks, recent, mostplayed, forgotten
        --sort PROPERTY          the order; with a "-" before it, the other way round; may be repeated
        --limit N, --offset N    how many to give, and to leave out at the start
        --away                   also of media that are not here
        --count                  says how many tracks, and how many seconds long, instead
        --json                   one JSON object a line
        --explain                says how the library finds it
        --time                   says how long it takes, the median of 51 times in one process, and how
                                 much memory that has of its own then
        --properties             says which properties there are, and how each can be compared
        --library FILE           the library, as of scan

      """
    }
  }
}
