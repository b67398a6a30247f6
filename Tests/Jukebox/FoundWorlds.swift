internal import Jukebox
internal import Simulator

/// Worlds in which a rule was once broken, as short as can be, and what happens in them.
let foundWorlds: [(name: String, steps: [Step])] = [
  (
    "goes back, round from the first item to the last",
    [
      .add(count: 3, asNext: false, seed: 246195782845124313),
      .replace(count: 15, seed: 15045880075105254130), .wait(milliseconds: 262144),
      .press(button: 2, milliseconds: 892, seed: 17472188210552042562), .command(.toggleShuffle),
      .flipLineIn(true), .press(button: 0, milliseconds: 870, seed: 12057469150785169787),
      .medium(1, isThere: true), .interruption(.contact, begins: true),
      .press(button: 2, milliseconds: 1155, seed: 3241784528790254609), .medium(2, isThere: true),
      .reconfigure(seed: 6613848937560066937), .command(.previous), .command(.next),
      .press(button: 2, milliseconds: 742, seed: 16652526551072777362),
      .wait(milliseconds: 262144), .powerCut, .command(.next),
    ]
  ),
  (
    "removes a book right after it began anew",
    [
      .add(count: 25, asNext: false, seed: 17543581766167290907), .medium(1, isThere: true),
      .add(count: 4, asNext: true, seed: 12600448158233660466),
      .add(count: 33, asNext: true, seed: 1887243917782965439),
      .replace(count: 1, seed: 11071718860590503684),
      .press(button: 1, milliseconds: 450, seed: 7949836711595396157),
      .press(button: 0, milliseconds: 1384, seed: 120193931803596988), .wait(milliseconds: 131072),
      .command(.play), .removePlace(18),
    ]
  ),
  (
    "seeks in what waits for its medium",
    [
      .add(count: 1, asNext: true, seed: 7483566674109262602), .command(.play),
      .command(.seek(to: Interval(nanoseconds: 160552000000))), .wait(milliseconds: 8192),
      .press(button: 2, milliseconds: 388, seed: 1463998282139141917), .powerCut,
    ]
  ),
  (
    "chooses what is away, where all else was heard",
    [
      .add(count: 38, asNext: false, seed: 1210011046001277605),
      .add(count: 1, asNext: true, seed: 8145803366076012621), .medium(0, isThere: true),
      .output(isThere: false), .add(count: 3, asNext: false, seed: 3362595473624385149),
      .add(count: 4, asNext: true, seed: 3643629309214284545),
      .replace(count: 1, seed: 2454858102160229968), .removePlace(50),
      .add(count: 1, asNext: true, seed: 12487490461241679862),
      .add(count: 3, asNext: true, seed: 2859139526365307503), .command(.setRepeat(.all)),
      .add(count: 2, asNext: true, seed: 4232658651497835400), .command(.setShuffle(.songs)),
      .command(.setShuffle(.albums)), .add(count: 4, asNext: true, seed: 2965447756520859563),
      .command(.next), .movePlace(33, to: 20), .movePlace(22, to: 38), .removePlace(12),
      .movePlace(0, to: 51), .selectPlace(20), .selectPlace(20),
      .add(count: 4, asNext: true, seed: 8872471387491775092), .removePlace(17),
      .press(button: 1, milliseconds: 505, seed: 7391708375048847212), .medium(2, isThere: true),
      .command(.next),
    ]
  ),
  (
    "goes back to the same item while paused",
    [
      .medium(1, isThere: true), .wait(milliseconds: 65536),
      .replace(count: 5, seed: 1533716993154440970),
      .press(button: 3, milliseconds: 1104, seed: 13763064285831041144),
      .press(button: 0, milliseconds: 1417, seed: 11409309354330796343),
      .press(button: 2, milliseconds: 1088, seed: 16272937537368875087),
      .wait(milliseconds: 262144), .powerCut,
    ]
  ),
  (
    "begins a round by removing what plays",
    [
      .add(count: 14, asNext: false, seed: 3256216192234144719), .medium(0, isThere: true),
      .press(button: 2, milliseconds: 548, seed: 14754898107950970666),
      .press(button: 2, milliseconds: 355, seed: 3639758685218221547), .command(.toggleShuffle),
      .add(count: 2, asNext: true, seed: 16145104236423056963),
      .replace(count: 11, seed: 3906116466705633960), .command(.setRepeat(.all)),
      .movePlace(12, to: 10), .command(.next), .wait(milliseconds: 65536), .selectPlace(24),
      .removePlace(26), .press(button: 0, milliseconds: 735, seed: 7692439543901045163),
      .press(button: 0, milliseconds: 1488, seed: 16681032760093821581),
      .wait(milliseconds: 262144),
    ]
  ),
]
