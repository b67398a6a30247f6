// A file system that hangs: shows FOLDER at MOUNT, and while FOLDER.hang exists, reads wait for it to go.
//
//   hangfs FOLDER MOUNT
//
// It serves each call on a thread of its own, bypasses the page cache, and unmounts itself when it is ended.
#define _GNU_SOURCE
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *folder, *plug;

static void full(char *out, size_t size, const char *path) { snprintf(out, size, "%s%s", folder, path); }

static int get_attributes(const char *path, struct stat *status, struct fuse_file_info *info) {
  (void)info;
  char name[4096];
  full(name, sizeof name, path);
  return lstat(name, status) < 0 ? -errno : 0;
}

static int read_folder(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
                       struct fuse_file_info *info, enum fuse_readdir_flags flags) {
  (void)offset, (void)info, (void)flags;
  char name[4096];
  full(name, sizeof name, path);
  DIR *open = opendir(name);
  if (!open) return -errno;
  for (struct dirent *entry; (entry = readdir(open));) fill(buffer, entry->d_name, NULL, 0, 0);
  closedir(open);
  return 0;
}

static int open_file(const char *path, struct fuse_file_info *info) {
  char name[4096];
  full(name, sizeof name, path);
  int file = open(name, O_RDONLY);
  if (file < 0) return -errno;
  info->fh = file;
  info->direct_io = 1;
  return 0;
}

static int read_file(const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *info) {
  (void)path;
  while (access(plug, F_OK) == 0) usleep(10000);
  ssize_t count = pread(info->fh, buffer, size, offset);
  return count < 0 ? -errno : count;
}

static int close_file(const char *path, struct fuse_file_info *info) {
  (void)path;
  close(info->fh);
  return 0;
}

static const struct fuse_operations operations = {
  .getattr = get_attributes, .readdir = read_folder, .open = open_file, .read = read_file, .release = close_file,
};

int main(int count, char **words) {
  if (count != 3) {
    fprintf(stderr, "usage: hangfs FOLDER MOUNT\n");
    return 2;
  }
  folder = realpath(words[1], NULL);
  if (!folder || asprintf(&plug, "%s.hang", folder) < 0) return 1;
  char *arguments[] = {words[0], "-f", "-o", "ro", words[2], NULL};
  return fuse_main(5, arguments, &operations, NULL);
}
