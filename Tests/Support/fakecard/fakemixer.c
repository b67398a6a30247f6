// The mixer of the fake sound card: an ALSA control device with the elements of a common DAC.
//
// "Digital" has 208 steps of half a decibel, 0 is -103.5 dB and 207 is 0 dB, and a switch; "Analogue" has a
// volume without decibels. Their values are the first line of the file `file` of `ctl.NAME { type fakemixer ... }`,
// such as "207 1 3", which whoever turns the volume elsewhere writes anew; a card without that file has no mixer.
// While the file `gone` exists the card is unplugged.
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <alsa/control_external.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { volume, on, analogue, elements };

static const struct {
  const char *name;
  int type;
  long most;
} about[elements] = {
  {"Digital Playback Volume", SND_CTL_ELEM_TYPE_INTEGER, 207},
  {"Digital Playback Switch", SND_CTL_ELEM_TYPE_BOOLEAN, 1},
  {"Analogue Playback Volume", SND_CTL_ELEM_TYPE_INTEGER, 3},
};

struct mixer {
  snd_ctl_ext_t ext;
  char *file, *gone;
  int news;  // elements to be told of as changed
};

static void read_values(struct mixer *m, long values[elements]) {
  values[volume] = 207, values[on] = 1, values[analogue] = 3;
  FILE *file = fopen(m->file, "re");
  if (!file) return;
  if (fscanf(file, "%ld %ld %ld", &values[volume], &values[on], &values[analogue]) != elements) errno = EINVAL;
  fclose(file);
}

static int write_values(struct mixer *m, const long values[elements]) {
  FILE *file = fopen(m->file, "we");
  if (!file) return -errno;
  fprintf(file, "%ld %ld %ld\n", values[volume], values[on], values[analogue]);
  return fclose(file) ? -errno : 0;
}

static bool is_gone(struct mixer *m) { return m->gone && access(m->gone, F_OK) == 0; }

static int element_count(snd_ctl_ext_t *ext) {
  (void)ext;
  return elements;
}

static int list(snd_ctl_ext_t *ext, unsigned int offset, snd_ctl_elem_id_t *id) {
  (void)ext;
  if (offset >= elements) return -EINVAL;
  snd_ctl_elem_id_set_interface(id, SND_CTL_ELEM_IFACE_MIXER);
  snd_ctl_elem_id_set_name(id, about[offset].name);
  return 0;
}

static snd_ctl_ext_key_t find(snd_ctl_ext_t *ext, const snd_ctl_elem_id_t *id) {
  (void)ext;
  for (int key = 0; key < elements; key++)
    if (!strcmp(snd_ctl_elem_id_get_name(id), about[key].name)) return key;
  return SND_CTL_EXT_KEY_NOT_FOUND;
}

static int attribute(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, int *type, unsigned int *access,
                     unsigned int *count) {
  (void)ext;
  *type = about[key].type;
  *access = SND_CTL_EXT_ACCESS_READWRITE;
  if (key == volume) *access |= SND_CTL_EXT_ACCESS_TLV_READ | SND_CTL_EXT_ACCESS_TLV_CALLBACK;
  *count = 1;
  return 0;
}

static int range(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *least, long *most, long *step) {
  (void)ext;
  *least = 0, *most = about[key].most, *step = 1;
  return 0;
}

static int read_integer(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *value) {
  struct mixer *m = ext->private_data;
  if (is_gone(m)) return -ENODEV;
  long values[elements];
  read_values(m, values);
  *value = values[key];
  return 0;
}

static int write_integer(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *value) {
  struct mixer *m = ext->private_data;
  if (is_gone(m)) return -ENODEV;
  long values[elements];
  read_values(m, values);
  if (values[key] == *value) return 0;
  values[key] = *value;
  int error = write_values(m, values);
  return error < 0 ? error : 1;
}

// Half a decibel a step from -103.5 dB on; SNDRV_CTL_TLVT_DB_SCALE in <sound/tlv.h>.
static int decibels(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, int operation, unsigned int number,
                    unsigned int *tlv, unsigned int size) {
  (void)ext, (void)number;
  const unsigned int scale[] = {SND_CTL_TLVT_DB_SCALE, 8, -10350, 50};
  if (key != volume || operation != 0) return -ENXIO;
  if (size < sizeof scale) return -ENOMEM;
  memcpy(tlv, scale, sizeof scale);
  return 0;
}

static int read_event(snd_ctl_ext_t *ext, snd_ctl_elem_id_t *id, unsigned int *mask) {
  struct mixer *m = ext->private_data;
  char events[4096];
  if (is_gone(m)) return -ENODEV;
  if (m->news == 0) {
    if (read(ext->poll_fd, events, sizeof events) <= 0) return -EAGAIN;
    m->news = elements;
  }
  list(ext, --m->news, id);
  *mask = SND_CTL_EVENT_MASK_VALUE;
  return 1;
}

static void close_mixer(snd_ctl_ext_t *ext) {
  struct mixer *m = ext->private_data;
  close(ext->poll_fd);
  free(m->file);
  free(m->gone);
  free(m);
}

static const snd_ctl_ext_callback_t callbacks = {
  .close = close_mixer, .elem_count = element_count, .elem_list = list, .find_elem = find,
  .get_attribute = attribute, .get_integer_info = range, .read_integer = read_integer,
  .write_integer = write_integer, .read_event = read_event,
};

SND_CTL_PLUGIN_DEFINE_FUNC(fakemixer) {
  (void)root;
  const char *file = NULL, *gone = NULL;
  snd_config_iterator_t i, next;
  snd_config_for_each(i, next, conf) {
    snd_config_t *field = snd_config_iterator_entry(i);
    const char *key;
    if (snd_config_get_id(field, &key) < 0) continue;
    if (!strcmp(key, "file")) snd_config_get_string(field, &file);
    else if (!strcmp(key, "gone")) snd_config_get_string(field, &gone);
  }
  if (!file) return -EINVAL;
  if (access(file, R_OK | W_OK) < 0) return -errno;
  if (gone && access(gone, F_OK) == 0) return -ENODEV;
  struct mixer *m = calloc(1, sizeof *m);
  if (!m) return -ENOMEM;
  m->file = strdup(file);
  m->gone = gone ? strdup(gone) : NULL;
  m->ext.version = SND_CTL_EXT_VERSION;
  m->ext.card_idx = -1;
  strcpy(m->ext.id, "fake");
  strcpy(m->ext.driver, "fakemixer");
  strcpy(m->ext.name, "fake sound card");
  strcpy(m->ext.longname, "fake sound card");
  strcpy(m->ext.mixername, "fake mixer");
  m->ext.callback = &callbacks;
  m->ext.private_data = m;
  m->ext.tlv.c = decibels;
  m->ext.poll_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (m->ext.poll_fd < 0 || inotify_add_watch(m->ext.poll_fd, file, IN_CLOSE_WRITE) < 0) {
    if (m->ext.poll_fd >= 0) close(m->ext.poll_fd);
    free(m->file);
    free(m->gone);
    free(m);
    return -EACCES;
  }
  int error = snd_ctl_ext_create(&m->ext, name, mode);
  if (error < 0) {
    close_mixer(&m->ext);
    return error;
  }
  *handlep = m->ext.handle;
  return 0;
}
SND_CTL_PLUGIN_SYMBOL(fakemixer);
