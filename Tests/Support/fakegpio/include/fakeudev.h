// A kernel that drops news of devices, as it does when a reader is too slow.
#pragma once
#include <stdbool.h>

/// The news that wait when they are next read are lost.
void fakeudev_lose(void);
