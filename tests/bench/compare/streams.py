#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our streaming client against aiohttp, as a ratio of work per second of the client's CPU time in one run.

Needs aiohttp from PyPI; without it it says so and ends with 0. By hand:

    python3 -m venv venv && venv/bin/pip install aiohttp
    venv/bin/python tests/bench/compare/streams.py [BUILD_FOLDER] [REPEATS]

Both read from the same server, in turn, each in a process of its own. aiohttp only splits lines and counts events: it
parses no JSON and takes no times, which ours does. Wanted: ours at least 3 times aiohttp on each load.
"""
import asyncio
import pathlib
import resource
import statistics
import subprocess
import sys

WANTED = 3.0
# path, streams, at once, events (else streams) counted: the loads of tests/bench/net
LOADS = [
    ("/short", "short streams (16 tokens)", 4000, 32, False),
    ("/long", "long streams in batches", 64, 8, True),
    ("/single/256", "256 streams, one event at a time", 256, 256, True),
]


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


async def read_all(port, path, streams, at_once):
    """Events read; the CPU seconds of reading, without the import of aiohttp."""
    import aiohttp

    body = b'{"model":"m","max_tokens":16,"stream":true,"prompt":[1,2,3]}'
    left, events = streams, 0
    connector = aiohttp.TCPConnector(limit=at_once)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def worker():
            nonlocal left, events
            while left > 0:
                left -= 1
                async with session.post(f"http://127.0.0.1:{port}{path}", data=body) as answer:
                    async for line in answer.content:
                        if line.startswith(b"data: "):
                            events += 1

        start = cpu()
        await asyncio.gather(*(worker() for _ in range(at_once)))
        return events, cpu() - start


def theirs(port, load):
    path, _, streams, at_once, per_event = load
    events, seconds = asyncio.run(read_all(port, path, streams, at_once))
    return (events if per_event else streams) / seconds


def main():
    if sys.argv[1:2] == ["--aiohttp"]:  # one load, in a process of its own
        print(f"{theirs(int(sys.argv[2]), LOADS[int(sys.argv[3])]):.0f}")
        return 0
    try:
        import aiohttp
    except ImportError as e:
        print(f"aiohttp: not compared ({e})")
        return 0
    top = pathlib.Path(__file__).resolve().parents[3]
    bench = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else top / "build") / "bench/bench_net"
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    run = lambda *words: float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    good = True
    with subprocess.Popen([bench, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        port = server.stdout.readline().strip()
        for i, load in enumerate(LOADS):
            ours, others = [], []
            for _ in range(repeats):
                others.append(run(sys.executable, __file__, "--aiohttp", port, str(i)))
                ours.append(run(bench, "ours", port, load[0]))
            ratio = statistics.median(ours) / statistics.median(others)
            good &= ratio >= WANTED
            print(f"{load[1]:<34} ours {statistics.median(ours):>9.0f}  aiohttp {aiohttp.__version__} {statistics.median(others):>8.0f} "
                  f"{'events' if load[4] else 'streams'} per CPU s   {ratio:.1f} times (wanted {WANTED:.0f}) {'ok' if ratio >= WANTED else 'LOW'}")
        server.stdin.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
