#define _GNU_SOURCE
#include "fakegpio.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/// What the kernel's gpiolib keeps: 16 edges for the first interface, and by default for the second.
enum { QUEUE = 16 };

static struct line {
  bool is_high, is_pulled_up, is_used;
  char consumer[GPIO_MAX_NAME_SIZE];
  /// The reader's end of a pipe that stands for the request, and the one that edges go in by.
  int reader, writer;
  int interface;
  unsigned queue;
  uint32_t sequence;
} lines[FAKEGPIO_LINES];

static char label[32];

void fakegpio_label(const char *name) { snprintf(label, sizeof label, "%s", name); }

void fakegpio_hold(unsigned offset, const char *consumer) {
  lines[offset].is_used = true;
  snprintf(lines[offset].consumer, sizeof lines[offset].consumer, "%s", consumer);
}

bool fakegpio_get(unsigned offset) { return lines[offset].is_high; }

bool fakegpio_is_pulled_up(unsigned offset) { return lines[offset].is_pulled_up; }

/// A request ends when its descriptor is closed, or is another file by now.
static bool is_held(struct line *line) {
  if (!line->reader) return line->is_used;
  struct stat one, other;
  if (fstat(line->reader, &one) == 0 && fstat(line->writer, &other) == 0 && one.st_ino == other.st_ino) return true;
  close(line->writer);
  line->reader = line->writer = 0;
  return line->is_used;
}

void fakegpio_forget(void) {
  for (unsigned i = 0; i < FAKEGPIO_LINES; i++) is_held(&lines[i]);
}

void fakegpio_set(unsigned offset, bool is_high, uint64_t nanoseconds) {
  struct line *line = &lines[offset];
  if (line->is_high == is_high) return;
  line->is_high = is_high;
  if (!line->interface || !is_held(line)) return;
  struct gpioevent_data first = {.timestamp = nanoseconds,
                                 .id = is_high ? GPIOEVENT_EVENT_RISING_EDGE : GPIOEVENT_EVENT_FALLING_EDGE};
  struct gpio_v2_line_event second = {.timestamp_ns = nanoseconds,
                                      .id = is_high ? GPIO_V2_LINE_EVENT_RISING_EDGE : GPIO_V2_LINE_EVENT_FALLING_EDGE,
                                      .offset = offset,
                                      .seqno = ++line->sequence,
                                      .line_seqno = line->sequence};
  size_t size = line->interface == 1 ? sizeof first : sizeof second;
  int waiting = 0;
  ioctl(line->reader, FIONREAD, &waiting);
  if ((size_t)waiting / size >= line->queue) {
    // The first interface drops the new edge, the second the oldest.
    if (line->interface == 1) return;
    struct gpio_v2_line_event oldest;
    (void)!read(line->reader, &oldest, sizeof oldest);
  }
  (void)!write(line->writer, line->interface == 1 ? (void *)&first : (void *)&second, size);
}

static int fail(int code) {
  errno = code;
  return -1;
}

static int request(unsigned offset, const char *consumer, int interface, unsigned queue, bool is_pulled_up) {
  if (offset >= FAKEGPIO_LINES) return fail(EINVAL);
  struct line *line = &lines[offset];
  if (is_held(line)) return fail(EBUSY);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return -1;
  line->reader = ends[0];
  line->writer = ends[1];
  line->interface = interface;
  line->queue = queue ? queue : QUEUE;
  line->sequence = 0;
  line->is_pulled_up = is_pulled_up;
  snprintf(line->consumer, sizeof line->consumer, "%s", consumer);
  return ends[0];
}

static struct line *held(int descriptor) {
  for (unsigned i = 0; i < FAKEGPIO_LINES; i++)
    if (lines[i].reader == descriptor && is_held(&lines[i])) return &lines[i];
  return NULL;
}

static void drive(struct line *line, bool is_high) {
  line->is_high = is_high;
  fakegpio_tell((unsigned)(line - lines), is_high);
}

/// In the place of the C library's; what is not GPIO's is passed on.
int ioctl(int descriptor, unsigned long number, ...) {
  static int (*next)(int, unsigned long, ...);
  va_list arguments;
  va_start(arguments, number);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (!next) next = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
  if (_IOC_TYPE(number) == 'E') return fakekeys_ioctl((uint32_t)number, argument);
  if (_IOC_TYPE(number) != 0xB4) return next(descriptor, number, argument);

  // As the kernel, which takes 32 bits: libgpiod 2 has the number in an int.
  number = (uint32_t)number;
  switch (number) {
  case GPIO_GET_CHIPINFO_IOCTL: {
    struct gpiochip_info *info = argument;
    *info = (struct gpiochip_info){.lines = FAKEGPIO_LINES};
    snprintf(info->name, sizeof info->name, "gpiochip0");
    snprintf(info->label, sizeof info->label, "%s", label);
    return 0;
  }
  case GPIO_GET_LINEINFO_IOCTL: {
    struct gpioline_info *info = argument;
    if (info->line_offset >= FAKEGPIO_LINES) return fail(EINVAL);
    struct line *line = &lines[info->line_offset];
    info->flags = is_held(line) ? GPIOLINE_FLAG_KERNEL : 0;
    snprintf(info->name, sizeof info->name, "GPIO%u", info->line_offset);
    snprintf(info->consumer, sizeof info->consumer, "%s", line->consumer);
    return 0;
  }
  case GPIO_GET_LINEEVENT_IOCTL: {
    struct gpioevent_request *wish = argument;
    wish->fd = request(wish->lineoffset, wish->consumer_label, 1, QUEUE,
                       wish->handleflags & GPIOHANDLE_REQUEST_BIAS_PULL_UP);
    return wish->fd < 0 ? -1 : 0;
  }
  case GPIO_GET_LINEHANDLE_IOCTL: {
    struct gpiohandle_request *wish = argument;
    wish->fd = request(wish->lineoffsets[0], wish->consumer_label, 0, QUEUE, false);
    if (wish->fd < 0) return -1;
    lines[wish->lineoffsets[0]].is_high = wish->default_values[0];
    return 0;
  }
  case GPIO_V2_GET_LINEINFO_IOCTL: {
    struct gpio_v2_line_info *info = argument;
    if (info->offset >= FAKEGPIO_LINES) return fail(EINVAL);
    struct line *line = &lines[info->offset];
    info->flags = GPIO_V2_LINE_FLAG_INPUT | (is_held(line) ? GPIO_V2_LINE_FLAG_USED : 0);
    snprintf(info->name, sizeof info->name, "GPIO%u", info->offset);
    snprintf(info->consumer, sizeof info->consumer, "%s", line->consumer);
    return 0;
  }
  case GPIO_V2_GET_LINE_IOCTL: {
    struct gpio_v2_line_request *wish = argument;
    uint64_t flags = wish->config.flags;
    bool is_output = flags & GPIO_V2_LINE_FLAG_OUTPUT;
    wish->fd = request(wish->offsets[0], wish->consumer, is_output ? 0 : 2, wish->event_buffer_size,
                       flags & GPIO_V2_LINE_FLAG_BIAS_PULL_UP);
    if (wish->fd < 0) return -1;
    if (is_output)
      for (unsigned i = 0; i < wish->config.num_attrs; i++)
        if (wish->config.attrs[i].attr.id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES)
          lines[wish->offsets[0]].is_high = wish->config.attrs[i].attr.values & 1;
    return 0;
  }
  }
  struct line *line = held(descriptor);
  if (!line) return fail(EBADF);
  switch (number) {
  case GPIOHANDLE_GET_LINE_VALUES_IOCTL: ((struct gpiohandle_data *)argument)->values[0] = line->is_high; return 0;
  case GPIOHANDLE_SET_LINE_VALUES_IOCTL: drive(line, ((struct gpiohandle_data *)argument)->values[0]); return 0;
  case GPIO_V2_LINE_GET_VALUES_IOCTL: ((struct gpio_v2_line_values *)argument)->bits = line->is_high; return 0;
  case GPIO_V2_LINE_SET_VALUES_IOCTL: drive(line, ((struct gpio_v2_line_values *)argument)->bits & 1); return 0;
  }
  return fail(ENOTTY);
}
