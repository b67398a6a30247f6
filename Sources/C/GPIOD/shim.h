// libgpiod 1.6 and 2.x by one set of calls: a chip by its path, a request of its own for each line.
//
// Only the older one has GPIOD_LINE_BULK_MAX_LINES. Calls that fail return NULL or -1 and set errno.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum cgpiod_bias { CGPIOD_AS_IS, CGPIOD_PULL_UP, CGPIOD_PULL_DOWN, CGPIOD_NO_PULL };

struct cgpiod_line {
  char name[32];
  /// Who holds it; empty where nobody does, or where the holder gave no name.
  char consumer[32];
  bool is_used;
};

struct cgpiod_edge {
  /// Of the kernel's monotonic clock.
  int64_t nanoseconds;
  bool is_rising;
  /// Counts the line's edges from 1; 0 where the library does not tell.
  uint64_t sequence;
};

/// How many edges one read gives at most.
enum { CGPIOD_EDGES = 16 };

#ifdef GPIOD_LINE_BULK_MAX_LINES

enum {
  CGPIOD_MAJOR = 1,
  /// How many edges of a line the kernel keeps; it drops those that come then.
  CGPIOD_QUEUE = 16
};

static inline const char *cgpiod_label(struct gpiod_chip *chip, char *label, size_t size) {
  snprintf(label, size, "%s", gpiod_chip_label(chip));
  return label;
}

static inline unsigned cgpiod_count(struct gpiod_chip *chip) { return gpiod_chip_num_lines(chip); }

static inline int cgpiod_line_info(struct gpiod_chip *chip, unsigned offset, struct cgpiod_line *info) {
  struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
  if (!line || gpiod_line_update(line)) return -1;
  const char *name = gpiod_line_name(line), *consumer = gpiod_line_consumer(line);
  info->is_used = gpiod_line_is_used(line);
  snprintf(info->name, sizeof info->name, "%s", name ? name : "");
  snprintf(info->consumer, sizeof info->consumer, "%s", info->is_used && consumer ? consumer : "");
  return 0;
}

/// A line that is held; the chip must stay open as long.
struct cgpiod_request {
  struct gpiod_line *line;
};

static inline int cgpiod_flags(enum cgpiod_bias bias) {
  switch (bias) {
  case CGPIOD_PULL_UP: return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
  case CGPIOD_PULL_DOWN: return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  case CGPIOD_NO_PULL: return GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
  case CGPIOD_AS_IS: break;
  }
  return 0;
}

static inline int cgpiod_listen(struct gpiod_chip *chip, unsigned offset, enum cgpiod_bias bias, const char *consumer,
                                struct cgpiod_request *request) {
  request->line = gpiod_chip_get_line(chip, offset);
  return request->line ? gpiod_line_request_both_edges_events_flags(request->line, consumer, cgpiod_flags(bias)) : -1;
}

static inline int cgpiod_drive(struct gpiod_chip *chip, unsigned offset, bool is_high, const char *consumer,
                               struct cgpiod_request *request) {
  request->line = gpiod_chip_get_line(chip, offset);
  return request->line ? gpiod_line_request_output(request->line, consumer, is_high) : -1;
}

static inline int cgpiod_descriptor(struct cgpiod_request *request) { return gpiod_line_event_get_fd(request->line); }

static inline int cgpiod_level(struct cgpiod_request *request) { return gpiod_line_get_value(request->line); }

static inline int cgpiod_set_level(struct cgpiod_request *request, bool is_high) {
  return gpiod_line_set_value(request->line, is_high);
}

/// Never waits: gives -1 and EAGAIN where the descriptor was made non-blocking.
static inline int cgpiod_read(struct cgpiod_request *request, struct cgpiod_edge *edges) {
  struct gpiod_line_event events[CGPIOD_EDGES];
  int count = gpiod_line_event_read_multiple(request->line, events, CGPIOD_EDGES);
  for (int i = 0; i < count; i++) {
    edges[i].nanoseconds = events[i].ts.tv_sec * INT64_C(1000000000) + events[i].ts.tv_nsec;
    edges[i].is_rising = events[i].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
    edges[i].sequence = 0;
  }
  return count;
}

static inline void cgpiod_release(struct cgpiod_request *request) { gpiod_line_release(request->line); }

#else

enum {
  CGPIOD_MAJOR = 2,
  /// How many edges of a line the kernel keeps; it drops the oldest.
  CGPIOD_QUEUE = 256
};

static inline const char *cgpiod_label(struct gpiod_chip *chip, char *label, size_t size) {
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  snprintf(label, size, "%s", info ? gpiod_chip_info_get_label(info) : "");
  if (info) gpiod_chip_info_free(info);
  return label;
}

static inline unsigned cgpiod_count(struct gpiod_chip *chip) {
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  unsigned count = info ? (unsigned)gpiod_chip_info_get_num_lines(info) : 0;
  if (info) gpiod_chip_info_free(info);
  return count;
}

static inline int cgpiod_line_info(struct gpiod_chip *chip, unsigned offset, struct cgpiod_line *line) {
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
  if (!info) return -1;
  const char *name = gpiod_line_info_get_name(info), *consumer = gpiod_line_info_get_consumer(info);
  line->is_used = gpiod_line_info_is_used(info);
  snprintf(line->name, sizeof line->name, "%s", name ? name : "");
  snprintf(line->consumer, sizeof line->consumer, "%s", line->is_used && consumer ? consumer : "");
  gpiod_line_info_free(info);
  return 0;
}

/// A line that is held.
struct cgpiod_request {
  struct gpiod_line_request *request;
  /// NULL for an output.
  struct gpiod_edge_event_buffer *buffer;
  unsigned offset;
};

static inline struct gpiod_line_request *cgpiod_request(struct gpiod_chip *chip, unsigned offset,
                                                        struct gpiod_line_settings *settings, const char *consumer) {
  struct gpiod_line_request *request = NULL;
  struct gpiod_request_config *config = gpiod_request_config_new();
  struct gpiod_line_config *lines = gpiod_line_config_new();
  if (config && lines && settings && gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0) {
    gpiod_request_config_set_consumer(config, consumer);
    gpiod_request_config_set_event_buffer_size(config, CGPIOD_QUEUE);
    request = gpiod_chip_request_lines(chip, config, lines);
  }
  int code = errno;
  if (lines) gpiod_line_config_free(lines);
  if (config) gpiod_request_config_free(config);
  if (settings) gpiod_line_settings_free(settings);
  errno = code;
  return request;
}

static inline void cgpiod_release(struct cgpiod_request *request) {
  if (request->buffer) gpiod_edge_event_buffer_free(request->buffer);
  if (request->request) gpiod_line_request_release(request->request);
}

static inline int cgpiod_listen(struct gpiod_chip *chip, unsigned offset, enum cgpiod_bias bias, const char *consumer,
                                struct cgpiod_request *request) {
  static const enum gpiod_line_bias biases[] = {
      [CGPIOD_AS_IS] = GPIOD_LINE_BIAS_AS_IS,
      [CGPIOD_PULL_UP] = GPIOD_LINE_BIAS_PULL_UP,
      [CGPIOD_PULL_DOWN] = GPIOD_LINE_BIAS_PULL_DOWN,
      [CGPIOD_NO_PULL] = GPIOD_LINE_BIAS_DISABLED,
  };
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (settings) {
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
    gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
    gpiod_line_settings_set_bias(settings, biases[bias]);
  }
  request->offset = offset;
  request->request = cgpiod_request(chip, offset, settings, consumer);
  if (!request->request) return -1;
  request->buffer = gpiod_edge_event_buffer_new(CGPIOD_EDGES);
  if (request->buffer) return 0;
  cgpiod_release(request);
  return -1;
}

static inline int cgpiod_drive(struct gpiod_chip *chip, unsigned offset, bool is_high, const char *consumer,
                               struct cgpiod_request *request) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (settings) {
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
    gpiod_line_settings_set_output_value(settings, is_high ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
  }
  request->offset = offset;
  request->buffer = NULL;
  request->request = cgpiod_request(chip, offset, settings, consumer);
  return request->request ? 0 : -1;
}

static inline int cgpiod_descriptor(struct cgpiod_request *request) {
  return gpiod_line_request_get_fd(request->request);
}

static inline int cgpiod_level(struct cgpiod_request *request) {
  return gpiod_line_request_get_value(request->request, request->offset);
}

static inline int cgpiod_set_level(struct cgpiod_request *request, bool is_high) {
  return gpiod_line_request_set_value(request->request, request->offset,
                                      is_high ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
}

/// Never waits: gives -1 and EAGAIN where the descriptor was made non-blocking.
static inline int cgpiod_read(struct cgpiod_request *request, struct cgpiod_edge *edges) {
  int count = gpiod_line_request_read_edge_events(request->request, request->buffer, CGPIOD_EDGES);
  for (int i = 0; i < count; i++) {
    struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(request->buffer, (unsigned long)i);
    edges[i].nanoseconds = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
    edges[i].is_rising = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
    edges[i].sequence = gpiod_edge_event_get_line_seqno(event);
  }
  return count;
}

#endif
