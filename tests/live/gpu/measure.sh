#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs one plan on a prepared machine and leaves everything in OUT:  measure.sh WORK PLAN.json NAME OUT [LIMIT_S] [--resume]
# The limit interrupts the run as Ctrl-C does: the journal stays whole and can be resumed.
set -uo pipefail
work=$1 plan=$2 name=$3 out=$4 limit=${5:-540} more=${6:-}
cli=$work/kvcliff/bin/kvcliff-cli
timeout -s INT -k 40 "$limit" "$cli" run "$plan" --journal "$work/$name.kvcliff" --json $more >"$out/$name.json" 2>"$out/$name.err"
echo "run: exit code $?"
tail -c 3000 "$out/$name.err"
"$cli" reconcile "$work/$name.kvcliff" --requests --json >"$out/$name.reconcile.json" || echo "reconcile: exit code $?"
"$cli" reconcile "$work/$name.kvcliff"
"$cli" decide "$work/$name.kvcliff" --json >"$out/$name.decide.json" || echo "decide: exit code $?"
"$cli" decide "$work/$name.kvcliff"
cp "$work/$name.kvcliff" "$out/$name.kvcliff"
[ ! -e "$work/$name.kvcliff-wal" ] || cp "$work/$name.kvcliff-wal" "$out/$name.kvcliff-wal"
ls -l "$out"
# By the names that vLLM gives its processes: the shell that runs this may have the word in its own command line.
ps -eo pid,args | grep -E '^ *[0-9]+ (VLLM::|[^ ]*python3? -m vllm)' && echo "something is left running" || echo "nothing is left running"
