#include "fakekeys.h"
#include <linux/input.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static uint8_t keys[KEY_CNT / 8 + 1], down[KEY_CNT / 8 + 1];
static bool is_grabbed;

static void set(uint8_t *bits, unsigned bit, bool is_set) {
  bits[bit / 8] = (uint8_t)((bits[bit / 8] & ~(1 << bit % 8)) | is_set << bit % 8);
}

void fakekeys_have(uint16_t code) { set(keys, code, true); }

bool fakekeys_is_grabbed(void) { return is_grabbed; }

static void put(int pipe, uint16_t type, uint16_t code, int value, int64_t nanoseconds) {
  struct input_event event = {.type = type, .code = code, .value = value};
  event.input_event_sec = nanoseconds / 1000000000;
  event.input_event_usec = nanoseconds / 1000 % 1000000;
  (void)!write(pipe, &event, sizeof event);
}

void fakekeys_write(int pipe, uint16_t code, int value, int64_t nanoseconds) {
  set(down, code, value != 0);
  put(pipe, EV_KEY, code, value, nanoseconds);
  put(pipe, EV_SYN, SYN_REPORT, 0, nanoseconds);
}

void fakekeys_drop(int pipe, uint16_t code, bool is_down) {
  set(down, code, is_down);
  put(pipe, EV_SYN, SYN_DROPPED, 0, 0);
  put(pipe, EV_SYN, SYN_REPORT, 0, 0);
}

int fakekeys_ioctl(uint32_t number, void *argument) {
  size_t size = _IOC_SIZE(number);
  if (number == EVIOCGRAB) {
    is_grabbed = argument != NULL;
    return 0;
  }
  if (_IOC_DIR(number) != _IOC_READ) return 0;
  memset(argument, 0, size);
  const uint8_t *bits = NULL;
  uint8_t types[1] = {1 << EV_SYN | 1 << EV_KEY};
  if (_IOC_NR(number) == _IOC_NR(EVIOCGBIT(0, 0))) bits = types, size = size ? 1 : 0;
  if (_IOC_NR(number) == _IOC_NR(EVIOCGBIT(EV_KEY, 0))) bits = keys;
  if (_IOC_NR(number) == _IOC_NR(EVIOCGKEY(0))) bits = down;
  if (bits) memcpy(argument, bits, size < sizeof keys ? size : sizeof keys);
  return (int)size;
}
