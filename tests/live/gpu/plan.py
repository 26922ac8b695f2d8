# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a plan for a real vLLM from a shipped one: plan.py BASE.json OUT.json WORK MODEL [field=value ...]

Fields are dotted paths, values JSON: plan.py reference.json gpu.json /work qwen3-0.6b workload.tokens=8003
"""
import json
import sys

base, out, work, model, *changes = sys.argv[1:]
plan = json.load(open(base))
plan["name"] = f"gpu-{model}"
plan["engine"] = {"adapter": "vllm", "version": "0.26.0", "environment": f"{work}/bin/vllm",
                  "extra_args": ["--enforce-eager"], "extra_env": {}}
plan["model"] = {"config": f"{work}/models/{model}/config.json", "kv_dtype": "auto", "tp": 1, "pp": 1, "weights": "dummy"}
for change in changes:
    path, value = change.split("=", 1)
    *parents, leaf = path.split(".")
    node = plan
    for p in parents:
        node = node[p]
    node[leaf] = json.loads(value)
json.dump(plan, open(out, "w"), indent=2)
