#!/bin/bash -e
# Builds the fake sound card into OUT and prints the path of the ALSA configuration that has it:
#
#   export ALSA_CONFIG_PATH=$(Tests/Support/fakecard/build.sh [OUT])
#   aplay -D fake:/tmp/x music.wav        -> /tmp/x.raw, /tmp/x.log; `touch /tmp/x.gone` unplugs it
#   echo 207 1 3 > /tmp/x.mixer           -> a mixer for `amixer -D fake:/tmp/x`, see fakemixer.c
#
# Arguments of the PCM `fake`, by place or by name: OUT, SPEED, RATES, REWIND, PAUSE;
# such as 'fake:OUT=/tmp/x,RATES="44100 48000"'. Its fields are described in fakecard.c.
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../../.build/fakecard}
mkdir -p "$out"
out=$(cd "$out" && pwd)
for part in pcm:fakecard ctl:fakemixer; do
  kind=${part%:*} source=$here/${part#*:}.c
  module=$out/libasound_module_${kind}_${part#*:}.so
  if [ ! "$module" -nt "$source" ]; then
    cc -std=gnu11 -O2 -Wall -Wextra -Werror -shared -fPIC -DPIC -o "$module.$$" "$source" -lasound
    mv "$module.$$" "$module"
  fi
done
cat > "$out/asound.conf.$$" <<END
</usr/share/alsa/alsa.conf>
pcm_type.fakecard { lib "$out/libasound_module_pcm_fakecard.so" }
ctl_type.fakemixer { lib "$out/libasound_module_ctl_fakemixer.so" }
pcm.fake {
  @args [ OUT SPEED RATES REWIND PAUSE ]
  @args.OUT { type string default "/tmp/fake" }
  @args.SPEED { type real default 1.0 }
  @args.RATES { type string default "" }
  @args.REWIND { type integer default 1 }
  @args.PAUSE { type integer default 1 }
  type fakecard
  file { @func concat strings [ \$OUT ".raw" ] }
  log { @func concat strings [ \$OUT ".log" ] }
  gone { @func concat strings [ \$OUT ".gone" ] }
  speed \$SPEED
  rates \$RATES
  rewind \$REWIND
  pause \$PAUSE
}
ctl.fake {
  @args [ OUT ]
  @args.OUT { type string default "/tmp/fake" }
  type fakemixer
  file { @func concat strings [ \$OUT ".mixer" ] }
  gone { @func concat strings [ \$OUT ".gone" ] }
}
END
mv "$out/asound.conf.$$" "$out/asound.conf"
echo "$out/asound.conf"
