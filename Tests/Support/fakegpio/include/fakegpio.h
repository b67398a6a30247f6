// A kernel's GPIO chip of one's own: answers the ioctls of /dev/gpiochip*, in both versions of their interface, so
// that the real libgpiod can be used without any chip. The device file itself is umockdev's affair.
#pragma once
#include "fakekeys.h"
#include "fakeudev.h"
#include <stdbool.h>
#include <stdint.h>

enum { FAKEGPIO_LINES = 54 };

void fakegpio_label(const char *label);

/// Somebody else holds the line from now on.
void fakegpio_hold(unsigned line, const char *consumer);

/// The line's level changes at a time of the monotonic clock. An edge is told if it is listened to.
void fakegpio_set(unsigned line, bool is_high, uint64_t nanoseconds);

/// An output's level, or an input's.
bool fakegpio_get(unsigned line);

/// Whether the line was asked to be pulled up.
bool fakegpio_is_pulled_up(unsigned line);

/// An output was set; see control.c.
void fakegpio_tell(unsigned line, bool is_high);

/// Closes what is kept of requests that ended.
void fakegpio_forget(void);
