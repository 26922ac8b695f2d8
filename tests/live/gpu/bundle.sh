#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Packs the command line with its libraries into FILE.tar.xz, so that it runs on a bare machine with only glibc:
#   tests/live/gpu/bundle.sh build carry/kvcliff.tar.xz
# With KVCLIFF_BUNDLE_CLI_ONLY=1 without the emulator (a third less).
set -euo pipefail
build=$1 out=$2
top=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/kvcliff/bin" "$work/kvcliff/lib" "$(dirname "$out")"
command -v patchelf >/dev/null || { echo "bundle: patchelf is needed (apt install patchelf)" >&2; exit 3; }
programs=(kvcliff-cli)
[ -n "${KVCLIFF_BUNDLE_CLI_ONLY:-}" ] || programs+=(kvcliff-emulator)
for program in "${programs[@]}"; do
  strip -o "$work/kvcliff/bin/$program" "$build/bin/$program"
  # A run path in the file, not LD_LIBRARY_PATH: the engine, which inherits the environment, must not see our libraries.
  patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$work/kvcliff/bin/$program"
  ldd "$build/bin/$program" | awk '$2 == "=>" { print $3 }' | grep -vE '/(libc|libm|libpthread|libdl|librt|libresolv)\.so' |
    while read -r library; do cp -Lu "$library" "$work/kvcliff/lib/"; done
done
strip --strip-unneeded "$work"/kvcliff/lib/* 2>/dev/null || true
cp -r "$top/resources" "$work/kvcliff/resources"
tar -C "$work" -c kvcliff | xz -9e -T1 >"$out"
ls -l "$out"
