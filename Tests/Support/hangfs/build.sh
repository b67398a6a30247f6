#!/bin/bash -e
# Builds the file system that hangs: hangfs/build.sh FILE
here=$(cd "$(dirname "$0")" && pwd)
read -ra flags <<<"$(pkg-config --cflags --libs fuse3)"
cc -std=gnu11 -O1 -Wall -Wextra -Werror -o "${1:?where to}" "$here/hangfs.c" "${flags[@]}"
