#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# On the GPU machine: unpacks the product and an engine, makes model folders with dummy weights, writes a `vllm` program.
#   prepare.sh KVCLIFF.tar.xz ENGINE_FOLDER WORK
# ENGINE_FOLDER holds unpack.sh and the archives of a vLLM made for this card; WORK gets kvcliff/, engine/, models/, bin/.
set -euo pipefail
bundle=$1 engine=$2 work=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work/bin" "$work/models"
# By Python, which the engine needs anyhow: a bare machine may lack the xz program.
python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1], "r:xz").extractall(sys.argv[2], filter="tar")' "$bundle" "$work"
bash "$engine/unpack.sh" "$work/engine" >/dev/null
for shape in qwen3-0.6b qwen3-8b; do python3 "$here/../../data/vllm-gpu/mkmodel.py" "$shape" "$work/models/$shape"; done
cat >"$work/bin/vllm" <<X
#!/bin/sh
. $work/engine/env.sh
exec python3 -m vllm.entrypoints.cli.main "\$@"
X
chmod +x "$work/bin/vllm"
echo "ready: $work"
