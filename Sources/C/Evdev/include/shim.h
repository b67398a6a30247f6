// libevdev behind plain C: keys of keyboards, remotes and headsets, and their names.
//
// A target of its own, since the headers of linux/input.h bring the C library's into the importing module.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// A device; the descriptor, which must be non-blocking, stays the caller's.
struct cevdev;

struct cevdev_key {
  uint16_t code;
  /// 0 released, 1 pressed, 2 repeated.
  int value;
  /// Of the kernel's monotonic clock.
  int64_t nanoseconds;
};

/// NULL, with errno set, where the descriptor is no input device.
struct cevdev *cevdev_new(int descriptor);

void cevdev_free(struct cevdev *device);

/// 1 for a key, 0 where there is nothing more, -1 where the device is gone. After events were lost, it tells
/// what the keys' state says must have happened.
int cevdev_next(struct cevdev *device, struct cevdev_key *key);

/// Takes the device from all others, or gives it back.
bool cevdev_grab(struct cevdev *device, bool is_grabbed);

bool cevdev_has(const struct cevdev *device, uint16_t code);

/// Of a name such as KEY_PLAY, -1 where there is none.
int cevdev_code(const char *name);

/// NULL where the code has none.
const char *cevdev_name(uint16_t code);
