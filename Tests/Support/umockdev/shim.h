// umockdev: a /sys and a udev of one's own, for programs started by umockdev-wrapper; and mounts of one's own.
#include <stdbool.h>
#include <sys/mount.h>
#include <umockdev.h>

/// glibc's own; its header shows it only to programs that ask for all GNU names.
extern int unshare(int flags);

/// From now on mounts are the process's own; false where that is not allowed. unshare(2), mount(2).
static inline bool cumockdev_own_mounts(void) {
  const int mounts = 0x20000, user = 0x10000000;
  return (unshare(mounts) == 0 || unshare(mounts | user) == 0) &&
         mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}
