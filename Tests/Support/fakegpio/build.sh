#!/bin/bash -e
# Builds the fake chip into OUT, to be preloaded into a program, and prints its path; see control.c.
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../../.build/fakegpio}
mkdir -p "$out"
out=$(cd "$out" && pwd)
module=$out/fakegpio.so
if [ -z "$(find "$module" -newer "$here/fakegpio.c" -newer "$here/control.c" 2>/dev/null)" ]; then
  cc -std=gnu11 -O2 -Wall -Wextra -Werror -shared -fPIC -I "$here/include" -o "$module.$$" "$here"/*.c -ldl -lpthread
  mv "$module.$$" "$module"
fi
echo "$module"
