#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our whole curve against other simulators, as ratios of CPU time in one run.

Needs kvcache-simulator and libcachesim from PyPI; without them it says so and ends with 0. By hand:

    python3 -m venv venv && venv/bin/pip install kvcache-simulator libcachesim
    venv/bin/python tests/bench/compare/others.py [BUILD_FOLDER]

Everyone replays the Mooncake conversation trace from memory, or from the other's own binary file: reading JSON is not
counted. Ours gives all capacities of two tiers in one pass; the others give one GPU capacity a run.
"""
import json
import pathlib
import re
import resource
import struct
import subprocess
import sys
import tempfile
import time

top = pathlib.Path(__file__).resolve().parents[3]
build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else top / "build"
packed = top / "tests/data/traces/mooncake_conversation_trace.jsonl.zst"
capacities = [500, 1000, 2000, 3000, 5000, 8000, 12000, 20000, 30000, 50000, 80000, 120000, 180000]


def cpu():
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(u.ru_utime + u.ru_stime for u in (own, children))


def best(work, times=3):
    """Lowest CPU milliseconds of `times` runs, and the last answer."""
    least = float("inf")
    for _ in range(times):
        start = cpu()
        answer = work()
        least = min(least, (cpu() - start) * 1000)
    return least, answer


def ours():
    """CPU milliseconds of the whole curve, as the bench itself takes them (best of 7)."""
    out = subprocess.run([build / "bench/bench_curve"], capture_output=True, text=True, check=True).stdout
    return min(float(m) for m in re.findall(r"Mooncake conversation.*?([\d.]+) ms CPU", out))


def show(name, ms, runs, base, note):
    print(f"{name:<44} {ms:10.2f} ms CPU {runs:>4} capacities {ms / base:9.1f} x ours   {note}")


def kvcache_simulator(base, trace):
    try:
        from kvcache_sim.trace import parse_trace_file
        from kvcache_sim.cpp_backend import run_cpp_sweep
    except ImportError as e:
        print(f"kvcache-simulator: not compared ({e})")
        return
    data = parse_trace_file(str(trace), block_size=512)
    ms, result = best(lambda: run_cpp_sweep(data, capacities=capacities, policies=["lru"], warmup_requests=0))
    show("kvcache-simulator, LRU, C++ backend", ms, len(capacities), base, f"{result.unique_blocks} blocks")
    ms, _ = best(lambda: run_cpp_sweep(data, capacities=[5000], policies=["lru"], warmup_requests=0))
    show("kvcache-simulator, LRU, C++ backend", ms, 1, base, "")


def libcachesim(base, trace):
    try:
        import libcachesim as lcs
    except ImportError as e:
        print(f"libcachesim: not compared ({e})")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "conversation.oracleGeneral"
        count = 0
        with open(trace) as lines, open(path, "wb") as out:
            for line in lines:
                one = json.loads(line)
                full = one["hash_ids"][: one["input_length"] // 512]
                for block in reversed(full):  # freed last first: then an LRU of blocks holds prefixes
                    out.write(struct.pack("<IQIq", count, block + 1, 1, -1))
                    count += 1

        def run(sizes):
            hits = []
            for size in sizes:
                reader = lcs.TraceReader(str(path), lcs.TraceType.ORACLE_GENERAL_TRACE, lcs.ReaderInitParam(ignore_obj_size=True))
                # A table of the trace's size: clearing its default of 2^24 entries alone takes ten times as long.
                miss, _ = lcs.LRU(cache_size=size, hashpower=18).process_trace(reader)
                hits.append(round((1 - miss) * count))
            return hits

        ms, hits = best(lambda: run(capacities))
        show("libcachesim, LRU", ms, len(capacities), base, f"{count} references")
        ms, _ = best(lambda: run([5000]))
        show("libcachesim, LRU", ms, 1, base, f"{hits[capacities.index(5000)]} block hits at 5,000")


def main():
    start = time.monotonic()
    base = ours()
    show("KV Cliff, both tiers, one pass", base, "all", base, "")
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / packed.stem
        try:
            with open(trace, "wb") as out:
                subprocess.run(["zstd", "-dc", packed], stdout=out, check=True)
        except OSError as e:
            print(f"the others: not compared ({e})")
            return
        kvcache_simulator(base, trace)
        libcachesim(base, trace)
    print(f"({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main()
