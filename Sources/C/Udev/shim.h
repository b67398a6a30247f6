// libudev: the devices that are here, and those that come and go.
#include <libudev.h>
