#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What one experiment of pairs cannot show, on a machine that prepare.sh made ready:  evidence.sh WORK OUT [sweep|attach|streams|events|kill ...]
# A sweep over a kept server, a running server attached to (alone, then with a stranger's requests), sixteen streams, KV
# events, and an API server killed under us. Every journal is left in OUT.
set -uo pipefail
work=$1 out=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
cli=$work/kvcliff/bin/kvcliff-cli plans=$work/kvcliff/resources/plans
parts=${*:-sweep attach streams events kill}
port=18431
began=$SECONDS
say() { echo "== $1 (at $((SECONDS - began)) s)"; }
wants() { [[ " $parts " == *" $1 "* ]]; }
left_running() {
  ps -eo pid,args | grep -E '^ *[0-9]+ (VLLM::|[^ ]*python3? -m vllm)' && echo "something is left running" || echo "nothing is left running"
}

serve() { # the server that attach measures: the command line of the reference plan's arm with the tier
  setsid "$work/bin/vllm" serve "$work/models/qwen3-0.6b" --served-model-name qwen3-0.6b --host 127.0.0.1 --port $port \
    --load-format dummy --seed 0 --block-size 16 --num-gpu-blocks-override 385 --max-model-len 2032 --enable-prefix-caching \
    --enable-prompt-tokens-details --enforce-eager --gpu-memory-utilization 0.3 \
    --kv-transfer-config '{"kv_connector":"OffloadingConnector","kv_role":"kv_both","kv_connector_extra_config":{"cpu_bytes_to_use":2293760000,"offload_prompt_only":true}}' \
    >"$out/attached.log" 2>&1 &
  server=$!
}

stranger() { # somebody else's requests, one a second
  local i
  for i in $(seq 1 60); do
    python3 - "$port" "$i" <<'P' >/dev/null 2>&1
import json, sys, urllib.request
port, i = sys.argv[1:]
body = json.dumps({"model": "qwen3-0.6b", "prompt": [int(i)] * 333, "max_tokens": 2}).encode()
urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/v1/completions", body, {"Content-Type": "application/json"}), timeout=10).read()
P
    sleep 0.3
  done
}

if wants attach; then serve; fi
if wants sweep; then
  say sweep
  # 690 blocks hold five and a half documents: the host's cliff lies inside the sweep.
  python3 "$here/plan.py" "$plans/sweep.json" "$work/sweep.json" "$work" qwen3-0.6b capacity.host_bytes=1266155520 keep_raw=false
  bash "$here/measure.sh" "$work" "$work/sweep.json" sweep-0.6b "$out" 420
fi
if wants attach; then
  say attach
  python3 "$here/plan.py" "$plans/reference.json" "$work/attach.json" "$work" qwen3-0.6b 'engine={"adapter":"attach"}' \
    'model={"id":"qwen3-0.6b","weights":"dummy"}' keep_raw=false
  for i in $(seq 1 100); do python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/health', timeout=2)" 2>/dev/null && break; sleep 1; done
  for name in alone stranger; do
    [ $name = alone ] || { stranger & other=$!; }
    timeout -s INT 90 "$cli" attach --url http://127.0.0.1:$port --plan "$work/attach.json" --arm on --journal "$work/attach-$name.kvcliff" >"$out/attach-$name.json" --json 2>"$out/attach-$name.err"
    echo "attach $name: exit code $?"
    "$cli" reconcile "$work/attach-$name.kvcliff"
    cp "$work/attach-$name.kvcliff" "$out/"
  done
  kill $other 2>/dev/null
  kill -TERM -- -$server; sleep 3; kill -KILL -- -$server 2>/dev/null
fi
if wants streams; then
  say "sixteen streams"
  python3 "$here/plan.py" "$plans/concurrency.json" "$work/streams.json" "$work" qwen3-0.6b 'schedule.pairs=0' 'schedule.controls=["on"]' \
    'load={"mode":"closed","concurrency":16}' 'workload.order="zipf"' keep_raw=false
  bash "$here/measure.sh" "$work" "$work/streams.json" closed-16-0.6b "$out" 120
fi
if wants events; then
  say "KV events"
  python3 "$here/plan.py" "$plans/reference.json" "$work/events.json" "$work" qwen3-0.6b schedule.pairs=0 'schedule.controls=["on"]' keep_raw=false \
    'engine.extra_args=["--enforce-eager","--kv-events-config","{\"enable_kv_cache_events\": true}"]'
  bash "$here/measure.sh" "$work" "$work/events.json" events-0.6b "$out" 120
fi
if wants kill; then
  say "API server killed"
  python3 "$here/plan.py" "$plans/reference.json" "$work/kill.json" "$work" qwen3-0.6b keep_raw=false schedule.pairs=0 'schedule.controls=["control"]'  workload.rounds=200
  timeout -s INT -k 30 150 "$cli" run "$work/kill.json" --journal "$work/kill-api.kvcliff" --json >"$out/kill-api.json" 2>"$out/kill-api.err" &
  run=$!
  for i in $(seq 1 200); do
    sqlite=$(python3 -c "import sqlite3; print(sqlite3.connect('file:$work/kill-api.kvcliff?mode=ro', uri=True).execute(\"select count(*) from session_states where state='measuring'\").fetchone()[0])" 2>/dev/null)
    [ "${sqlite:-0}" -ge 1 ] && break
    sleep 0.5
  done
  sleep 2
  api=$(pgrep -f 'vllm.entrypoints.cli.main serve' | head -1)
  echo "killing $api"; kill -KILL "$api"
  wait $run; echo "run: exit code $?"
  tail -c 1200 "$out/kill-api.err"
  left_running
  cp "$work/kill-api.kvcliff" "$out/"
fi
say end
left_running
