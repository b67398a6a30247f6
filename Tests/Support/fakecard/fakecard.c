// An ALSA PCM that behaves like a sound card, for tests and benchmarks without one.
//
// It plays at the pace of CLOCK_MONOTONIC, wakes its caller on period borders, runs dry at the right moment,
// can pause, drain, drop, be rewound, be unplugged and come back. Fields of `pcm.NAME { type fakecard ... }`:
//
//   file   PATH     the frames that were really played, raw, as the caller's format has them; appended to
//   log    PATH     one line for each event, appended to: SECONDS EVENT FRAME [KEY=VALUE]...
//   gone   PATH     while this file exists the card is unplugged (ENODEV); it goes silent at the file's mtime
//   rates  "R R.."  the sampling rates it has; empty means any from 8,000 to 192,000 Hz
//   speed  X        X times as fast as real time
//   ppm    X        the error of its clock, in parts per million
//   pause  0        it can't pause
//   rewind 0        what was handed over is played as it was: samples written again after a rewind are dropped
//
// SECONDS is CLOCK_MONOTONIC at the event. FRAME counts what is in `file`, from 0, across reopening in one format.
// After "start" at T and F, frame F + k is heard at T + k / (rate * speed * (1 + ppm / 1e6)), until the next
// "stop", "xrun", "pause", "gone" or "close". "params" has `byte`, where in `file` frame FRAME begins.
// Not thread-safe beyond what alsa-lib guarantees for one PCM handle.
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;

// Counts of frames are since `prepare`, but for `total`.
struct card {
  snd_pcm_ioplug_t io;
  int poll_fd;   // an epoll set of the two below
  int timer_fd;  // readable when there is room for `avail_min` frames
  int watch_fd;  // inotify on the folder of `gone`: readable when the plug may have moved; -1 if none
  int file;      // -1 if none
  FILE *log;     // NULL if none
  char *gone;    // NULL if it can't be unplugged
  char *ring;
  size_t frame_bytes;
  snd_pcm_uframes_t size, boundary, avail_min;
  uint64_t written;     // handed over by the caller
  uint64_t high_water;  // the most that was ever handed over
  uint64_t played;
  uint64_t total;  // frames in `file`
  int64_t run_start;
  uint64_t run_base;  // `played` at run_start
  bool running, paused, dry, unplugged, can_rewind;
  double rate, ppm, speed;
  long writes, polls;
};

static int64_t clock_now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * second + t.tv_nsec;
}

static int64_t now(void) { return clock_now(CLOCK_MONOTONIC); }

static struct timespec timespec(int64_t t) { return (struct timespec){t / second, t % second}; }

__attribute__((format(printf, 4, 5))) static void note_at(struct card *c, int64_t t, const char *event,
                                                          const char *details, ...) {
  if (!c->log) return;
  fprintf(c->log, "%lld.%09lld %s %llu ", (long long)(t / second), (long long)(t % second), event,
          (unsigned long long)c->total);
  va_list arguments;
  va_start(arguments, details);
  vfprintf(c->log, details, arguments);
  va_end(arguments);
  fputc('\n', c->log);
  fflush(c->log);
}

#define note(card, ...) note_at(card, now(), __VA_ARGS__)

static uint64_t fill(const struct card *c) { return c->written - c->played; }

static snd_pcm_uframes_t wanted_room(const struct card *c) { return c->avail_min ? c->avail_min : 1; }

// When, on CLOCK_MONOTONIC, a frame is heard, and 1 µs to be past it.
static int64_t time_of(const struct card *c, uint64_t frame) {
  return c->run_start + (int64_t)((double)(frame - c->run_base) * 1e9 / c->rate) + 1000;
}

// Moves the hardware on to the time `t` and captures what was played.
static void play_until(struct card *c, int64_t t) {
  if (!c->running || c->paused || t <= c->run_start) return;
  uint64_t position = c->run_base + (uint64_t)((double)(t - c->run_start) * c->rate / 1e9);
  if (position > c->written) {
    position = c->written;
    if (c->io.state == SND_PCM_STATE_RUNNING) c->dry = true;
  }
  while (c->played < position) {
    snd_pcm_uframes_t offset = c->played % c->size, count = position - c->played;
    if (count > c->size - offset) count = c->size - offset;
    if (c->file >= 0 && write(c->file, c->ring + offset * c->frame_bytes, count * c->frame_bytes) < 0) {
      close(c->file);
      c->file = -1;
    }
    c->played += count;
    c->total += count;
  }
}

// Whether the card is out; on finding it so, plays up to the moment it was pulled, and no further.
static bool is_gone(struct card *c) {
  if (c->unplugged) return true;
  struct stat status;
  if (!c->gone || stat(c->gone, &status) < 0) return false;
  int64_t made = status.st_mtim.tv_sec * second + status.st_mtim.tv_nsec;
  int64_t pulled = now() - (clock_now(CLOCK_REALTIME) - made);
  play_until(c, pulled);
  note_at(c, pulled, "gone", "lost=%llu", (unsigned long long)fill(c));
  c->unplugged = true;
  c->running = false;
  c->io.state = SND_PCM_STATE_DISCONNECTED;
  return true;
}

static void advance(struct card *c) {
  if (!is_gone(c)) play_until(c, now());
}

// alsa-lib moves its write position back without a call to the plugin: follow it.
static void follow_rewind(struct card *c) {
  if (c->io.appl_ptr >= c->written) return;
  note(c, "rewind", "from=%llu to=%lu played=%llu", (unsigned long long)c->written, c->io.appl_ptr,
       (unsigned long long)c->played);
  c->written = c->io.appl_ptr;
  if (c->written < c->played) c->dry = true;  // too late: the hardware is past it
}

// Sets the timer to the next period border at which there is room enough, as a card's interrupt would be.
static void arm(struct card *c) {
  struct itimerspec at = {.it_value = {0, 1}};  // in the past: readable at once
  uint64_t room = c->size - fill(c);
  if (room < wanted_room(c) && !is_gone(c)) {
    if (!c->running || c->paused) {
      at.it_value.tv_nsec = 0;  // full and standing still: never
    } else {
      uint64_t period = c->io.period_size ? c->io.period_size : 1;
      uint64_t frame = c->played + wanted_room(c) - room;
      at.it_value = timespec(time_of(c, (frame + period - 1) / period * period));
    }
  }
  timerfd_settime(c->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static int card_start(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  if (is_gone(c)) return -ENODEV;
  c->run_start = now();
  c->run_base = c->played;
  c->running = true;
  c->paused = false;
  note_at(c, c->run_start, "start", "rate=%u fill=%llu", io->rate, (unsigned long long)fill(c));
  arm(c);
  return 0;
}

static int card_stop(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  advance(c);
  if (c->running) {
    note(c, c->dry ? "xrun" : "stop", "dropped=%llu writes=%ld polls=%ld", (unsigned long long)fill(c),
         c->writes, c->polls);
  }
  c->running = false;
  c->written = c->played;  // poll answers at once again, as the kernel does in SETUP
  arm(c);
  return 0;
}

static snd_pcm_sframes_t card_pointer(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  advance(c);
  if (is_gone(c)) return -ENODEV;
  follow_rewind(c);
  if (c->dry) {
    note(c, "xrun", "writes=%ld polls=%ld", c->writes, c->polls);
    c->running = false;
    return -EPIPE;
  }
  return c->played % c->boundary;
}

static snd_pcm_sframes_t card_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                       snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
  struct card *c = io->private_data;
  if (is_gone(c)) return -ENODEV;
  follow_rewind(c);
  if (c->written == 0) note(c, "first-write", "frames=%lu", size);
  const char *source = (const char *)areas->addr + (areas->first + areas->step * offset) / 8;
  snd_pcm_uframes_t done = 0;
  if (!c->can_rewind && c->written < c->high_water) {
    done = c->high_water - c->written;
    if (done > size) done = size;
  }
  while (done < size) {
    snd_pcm_uframes_t at = (c->written + done) % c->size, count = size - done;
    if (count > c->size - at) count = c->size - at;
    memcpy(c->ring + at * c->frame_bytes, source + done * c->frame_bytes, count * c->frame_bytes);
    done += count;
  }
  c->written += size;
  if (c->written > c->high_water) c->high_water = c->written;
  c->writes++;
  arm(c);
  return size;
}

static int card_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *parameters) {
  struct card *c = io->private_data;
  (void)parameters;
  c->size = io->buffer_size;
  c->frame_bytes = snd_pcm_format_physical_width(io->format) / 8 * io->channels;
  c->rate = io->rate * (1 + c->ppm / 1e6) * c->speed;
  free(c->ring);
  c->ring = calloc(c->size, c->frame_bytes);
  if (!c->ring) return -ENOMEM;
  off_t end = c->file >= 0 ? lseek(c->file, 0, SEEK_END) : 0;
  if (end > 0) c->total = (uint64_t)end / c->frame_bytes;
  note(c, "params", "rate=%u format=%s channels=%u buffer=%lu period=%lu byte=%lld", io->rate,
       snd_pcm_format_name(io->format), io->channels, io->buffer_size, io->period_size, (long long)end);
  return 0;
}

static int card_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *parameters) {
  struct card *c = io->private_data;
  snd_pcm_sw_params_get_avail_min(parameters, &c->avail_min);
  snd_pcm_sw_params_get_boundary(parameters, &c->boundary);
  return 0;
}

static int card_prepare(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  if (is_gone(c)) return -ENODEV;
  c->written = c->high_water = c->played = c->run_base = 0;
  c->running = c->paused = c->dry = false;
  arm(c);
  return 0;
}

static int card_drain(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  if (!c->running && fill(c) > 0) card_start(io);
  note(c, "drain", "left=%llu", (unsigned long long)fill(c));
  while (c->running && !c->paused && fill(c) > 0) {
    struct timespec end = timespec(time_of(c, c->written));
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
    advance(c);
  }
  note(c, "drained", " ");
  return 0;
}

static int card_pause(snd_pcm_ioplug_t *io, int on) {
  struct card *c = io->private_data;
  if (on) {
    advance(c);
    c->paused = true;
    note(c, "pause", " ");
    arm(c);
    return 0;
  }
  return card_start(io);
}

static int card_delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *delay) {
  struct card *c = io->private_data;
  advance(c);
  *delay = fill(c);
  return 0;
}

static int card_revents(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count,
                        unsigned short *events) {
  struct card *c = io->private_data;
  (void)descriptors, (void)count;
  uint64_t expired;
  if (read(c->timer_fd, &expired, sizeof expired) < 0 && errno != EAGAIN) return -errno;
  char moves[4096];
  while (c->watch_fd >= 0 && read(c->watch_fd, moves, sizeof moves) > 0) continue;
  c->polls++;
  advance(c);
  if (is_gone(c)) {
    *events = POLLERR | POLLHUP;
  } else {
    *events = c->dry || c->size - fill(c) >= wanted_room(c) ? POLLOUT : 0;
  }
  arm(c);
  return 0;
}

static void release(struct card *c) {
  if (c->log) fclose(c->log);
  if (c->file >= 0) close(c->file);
  if (c->watch_fd >= 0) close(c->watch_fd);
  if (c->timer_fd >= 0) close(c->timer_fd);
  if (c->poll_fd >= 0) close(c->poll_fd);
  free(c->ring);
  free(c->gone);
  free(c);
}

static int card_close(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  advance(c);
  note(c, "close", " ");
  release(c);
  return 0;
}

// Opens what the card waits on: its timer, and the folder of `gone`, so that a pull is noticed at once
// and costs no wake-up while nothing moves there.
static int open_descriptors(struct card *c) {
  c->poll_fd = epoll_create1(EPOLL_CLOEXEC);
  c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  struct epoll_event readable = {.events = EPOLLIN};
  if (c->poll_fd < 0 || c->timer_fd < 0) return -errno;
  if (epoll_ctl(c->poll_fd, EPOLL_CTL_ADD, c->timer_fd, &readable) < 0) return -errno;
  if (!c->gone) return 0;
  char *path = strdup(c->gone);
  if (!path) return -ENOMEM;
  c->watch_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  int watch = c->watch_fd < 0 ? -1 : inotify_add_watch(c->watch_fd, dirname(path), IN_CREATE | IN_MOVED_TO);
  free(path);
  if (watch < 0 || epoll_ctl(c->poll_fd, EPOLL_CTL_ADD, c->watch_fd, &readable) < 0) return -errno;
  return 0;
}

// Says what the card can do, for alsa-lib to choose from.
static int set_abilities(snd_pcm_ioplug_t *io, const char *rates) {
  static const unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
  static const unsigned formats[] = {SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S24_LE,
                                     SND_PCM_FORMAT_S32_LE, SND_PCM_FORMAT_FLOAT_LE};
  unsigned list[16], count = 0;
  for (char *end; rates && count < 16; rates = end) {
    unsigned long rate = strtoul(rates, &end, 10);
    if (end == rates) break;
    list[count++] = rate;
  }
  int error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
  if (!error) error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 5, formats);
  if (!error) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, 1, 8);
  if (!error && count) error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_RATE, count, list);
  if (!error && !count) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, 8000, 192000);
  if (!error) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, 64);
  if (!error) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 128, 1 << 20);
  if (!error) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 512, 1 << 21);
  return error;
}

#define CALLBACKS                                                                                            \
  .start = card_start, .stop = card_stop, .pointer = card_pointer, .transfer = card_transfer,                \
  .close = card_close, .hw_params = card_hw_params, .sw_params = card_sw_params, .prepare = card_prepare,    \
  .drain = card_drain, .delay = card_delay, .poll_revents = card_revents

static const snd_pcm_ioplug_callback_t callbacks = {CALLBACKS, .pause = card_pause};
static const snd_pcm_ioplug_callback_t callbacks_without_pause = {CALLBACKS};

SND_PCM_PLUGIN_DEFINE_FUNC(fakecard) {
  const char *file = NULL, *log = NULL, *gone = NULL, *rates = NULL;
  double ppm = 0, speed = 1;
  long can_pause = 1, can_rewind = 1;
  (void)root;
  snd_config_iterator_t i, next;
  snd_config_for_each(i, next, conf) {
    snd_config_t *field = snd_config_iterator_entry(i);
    const char *key;
    int error = 0;
    if (snd_config_get_id(field, &key) < 0) continue;
    if (!strcmp(key, "type") || !strcmp(key, "comment") || !strcmp(key, "hint")) continue;
    if (!strcmp(key, "file")) error = snd_config_get_string(field, &file);
    else if (!strcmp(key, "log")) error = snd_config_get_string(field, &log);
    else if (!strcmp(key, "gone")) error = snd_config_get_string(field, &gone);
    else if (!strcmp(key, "rates")) error = snd_config_get_string(field, &rates);
    else if (!strcmp(key, "ppm")) error = snd_config_get_ireal(field, &ppm);
    else if (!strcmp(key, "speed")) error = snd_config_get_ireal(field, &speed);
    else if (!strcmp(key, "pause")) error = snd_config_get_integer(field, &can_pause);
    else if (!strcmp(key, "rewind")) error = snd_config_get_integer(field, &can_rewind);
    else error = -EINVAL;
    if (error < 0) {
      SNDERR("fakecard: field %s is unknown or has the wrong type", key);
      return error;
    }
  }
  if (speed <= 0) {
    SNDERR("fakecard: speed must be above 0");
    return -EINVAL;
  }
  if (gone && access(gone, F_OK) == 0) return -ENODEV;

  struct card *c = calloc(1, sizeof *c);
  if (!c) return -ENOMEM;
  c->poll_fd = c->timer_fd = c->watch_fd = -1;
  c->ppm = ppm;
  c->speed = speed;
  c->can_rewind = can_rewind;
  c->gone = gone ? strdup(gone) : NULL;
  c->file = file ? open(file, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644) : -1;
  c->log = log ? fopen(log, "ae") : NULL;
  int error = open_descriptors(c);
  if ((file && c->file < 0) || (log && !c->log)) error = -EACCES;
  if (error < 0) {
    release(c);
    return error;
  }
  c->io.version = SND_PCM_IOPLUG_VERSION;
  c->io.name = "fake sound card";
  c->io.callback = can_pause ? &callbacks : &callbacks_without_pause;
  c->io.private_data = c;
  c->io.poll_fd = c->poll_fd;
  c->io.poll_events = POLLIN;
  c->io.mmap_rw = 0;
  c->io.flags = SND_PCM_IOPLUG_FLAG_BOUNDARY_WA | SND_PCM_IOPLUG_FLAG_MONOTONIC;
  error = snd_pcm_ioplug_create(&c->io, name, stream, mode);
  if (error < 0) {
    release(c);
    return error;
  }
  error = set_abilities(&c->io, rates);
  if (error < 0) {
    snd_pcm_ioplug_delete(&c->io);  // calls card_close
    return error;
  }
  note(c, "open", "%s", name);
  *pcmp = c->io.pcm;
  return 0;
}
SND_PCM_PLUGIN_SYMBOL(fakecard);
