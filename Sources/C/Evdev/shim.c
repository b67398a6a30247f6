#include "shim.h"
#include <errno.h>
#include <libevdev-1.0/libevdev/libevdev.h>
#include <stdlib.h>
#include <time.h>

struct cevdev {
  struct libevdev *device;
  bool is_syncing;
};

struct cevdev *cevdev_new(int descriptor) {
  struct cevdev *out = calloc(1, sizeof *out);
  if (!out) return NULL;
  int failure = libevdev_new_from_fd(descriptor, &out->device);
  if (failure < 0) {
    free(out);
    errno = -failure;
    return NULL;
  }
  libevdev_set_clock_id(out->device, CLOCK_MONOTONIC);
  return out;
}

void cevdev_free(struct cevdev *device) {
  libevdev_free(device->device);
  free(device);
}

int cevdev_next(struct cevdev *device, struct cevdev_key *key) {
  for (;;) {
    struct input_event event;
    unsigned flag = device->is_syncing ? LIBEVDEV_READ_FLAG_SYNC : LIBEVDEV_READ_FLAG_NORMAL;
    int status = libevdev_next_event(device->device, flag, &event);
    if (status == -EAGAIN) {
      if (!device->is_syncing) return 0;
      device->is_syncing = false;
      continue;
    }
    if (status < 0) return -1;
    if (status == LIBEVDEV_READ_STATUS_SYNC && event.type == EV_SYN) device->is_syncing = true;
    if (event.type != EV_KEY) continue;
    key->code = event.code;
    key->value = event.value;
    key->nanoseconds = event.input_event_sec * INT64_C(1000000000) + event.input_event_usec * INT64_C(1000);
    return 1;
  }
}

bool cevdev_grab(struct cevdev *device, bool is_grabbed) {
  return libevdev_grab(device->device, is_grabbed ? LIBEVDEV_GRAB : LIBEVDEV_UNGRAB) == 0;
}

bool cevdev_has(const struct cevdev *device, uint16_t code) {
  return libevdev_has_event_code(device->device, EV_KEY, code);
}

int cevdev_code(const char *name) { return libevdev_event_code_from_name(EV_KEY, name); }

const char *cevdev_name(uint16_t code) { return libevdev_event_code_get_name(EV_KEY, code); }
