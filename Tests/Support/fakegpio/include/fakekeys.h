// An input device of one's own: answers the ioctls of /dev/input/event*, so that the real libevdev can read keys from a
// pipe. It has the keys it was told of.
#pragma once
#include <stdbool.h>
#include <stdint.h>

void fakekeys_have(uint16_t code);

/// Writes a key's event and the end of its packet into the pipe: value 0 released, 1 pressed, 2 repeated.
void fakekeys_write(int pipe, uint16_t code, int value, int64_t nanoseconds);

/// Writes what the kernel writes when it has dropped events; meanwhile the keys have come to be as told.
void fakekeys_drop(int pipe, uint16_t code, bool is_down);

bool fakekeys_is_grabbed(void);

int fakekeys_ioctl(uint32_t number, void *argument);
