# SPDX-License-Identifier: GPL-3.0-or-later
"""What a live vLLM must show. Each scenario raises world.Failed, or returns one line that says what was seen."""
import json
import os
import shlex
import signal
import subprocess
import threading
import time

from world import BLOCK_BYTES, Failed, arm, by_arm, check, expect, measured, post, total, wait_for


def all_exact(document, requests):
    expect("requests", document["requests"], requests)
    expect("reconciled", document["reconciled"], requests)
    expect("unexplained", document["unexplained"], {"tokens": 0, "bytes": 0})
    for c in document["checks"]:
        expect(f"failures of {c['id']}", c["fail"] + c["not_settled"], 0)


def predicted(requests):
    """Every source of every request is the one number that was predicted, never a range."""
    for r in requests:
        for source in ("computed", "gpu_hit", "host_loaded"):
            p = r["predicted"][source]
            low, high = (p["low"], p["high"]) if isinstance(p, dict) else (p, p)
            expect(f"prediction of {source}, session {r['session']}, request {r['ordinal']}", (low, high), (r[source], r[source]))


def sources(requests):
    return total(requests, "computed"), total(requests, "gpu_hit"), total(requests, "host_loaded")


def reference_totals(document):
    arms = by_arm(document)
    for name, wanted in {"off": (72108, 0, 0), "on": (24108, 0, 48000), "control": (4018, 8000, 0)}.items():
        expect(f"computed, GPU, host of {name}", sources(arms[name]), wanted)
    expect("bytes loaded", total(arms["on"], "loaded_bytes"), 48000 * 1024)
    expect("bytes stored", total(arms["on"], "stored_bytes"), 2 * 6 * 125 * BLOCK_BYTES)
    return arms


def reference(world):
    """Five fresh servers (off on on off, control), 78 requests."""
    plan = world.plan("reference")
    _, document = world.run(plan)
    expect("arms", [s["arm"] for s in document["sessions"]], ["off", "on", "on", "off", "control"])
    all_exact(document, 78)
    arms = reference_totals(document)
    predicted([r for list_ in arms.values() for r in list_])
    expect("simulated", document["simulated"], False)
    return "78 of 78 reconciled, 78 predicted exactly"


def cliff(world):
    """The same again, and host tiers of four documents, within the ramp, and one block past it."""
    plan = world.plan("cliff")
    arm(plan, "four-documents", True, capacity__host_bytes=500 * BLOCK_BYTES)
    arm(plan, "in-the-ramp", True, capacity__host_bytes=700 * BLOCK_BYTES)
    arm(plan, "past-the-ramp", True, capacity__host_bytes=751 * BLOCK_BYTES)
    _, document = world.run(plan)
    all_exact(document, 78 + 3 * 18)
    arms = reference_totals(document)
    predicted([r for list_ in arms.values() for r in list_])
    expect("four documents", sources(arms["four-documents"]), (36054, 0, 0))
    expect("past the ramp", sources(arms["past-the-ramp"]), (12054, 0, 24000))
    ramp = sources(arms["in-the-ramp"])
    if not 0 < ramp[2] < 24000:
        raise Failed(f"within the ramp some visits must load and some not: {ramp}")
    return f"132 of 132 reconciled and predicted exactly; within the ramp {ramp[2]} of 24,000 tokens from the host"


def streams(world):
    """1, 4 and 16 streams: no request has counters of its own, the window's sums must be exact. Which tier serves a visit
    depends on the order in which streams end; that is named, and nothing else may be left."""
    plan = world.plan("streams", base="concurrency", capacity__gpu_blocks=1025, capacity__host_bytes=2000 * BLOCK_BYTES)
    plan["arms"], plan["schedule"]["pairs"], plan["schedule"]["controls"] = [], 0, []
    for n in (1, 4, 16):
        arm(plan, f"{n}-streams", True, load__mode="closed", load__concurrency=n)
    _, document = world.run(plan)
    expect("unexplained", document["unexplained"], {"tokens": 0, "bytes": 0})
    expect("R14", (check(document, "R14")["pass"], check(document, "R14")["fail"]), (3, 0))
    for c in document["checks"]:
        expect(f"failures of {c['id']}", c["fail"], 0)
    seen = []
    for name, requests in by_arm(document).items():
        expect(f"requests of {name}", len(requests), 36)
        expect(f"complete, {name}", sum(r["outcome"] == "complete" for r in requests), 36)
        seen.append(f"{name}: {total(requests, 'cached_tokens')} cached")
    return "; ".join(seen)


def sweep(world):
    """Working sets from a third to three times the GPU cache, on one server whose caches are emptied in between."""
    plan = world.plan("sweep")
    plan["arms"], plan["schedule"]["pairs"], plan["schedule"]["controls"] = [], 0, []
    plan["schedule"]["server"] = "kept"
    for n in (1, 3, 4, 9):
        arm(plan, f"{n}-documents", True, workload__documents=n)
    journal, document = world.run(plan)
    all_exact(document, 3 * (1 + 3 + 4 + 9))
    arms = by_arm(document)
    predicted([r for list_ in arms.values() for r in list_])
    shares = []
    for name, requests in arms.items():
        again = [r for r in requests if r["round"] > 1]
        _, gpu, host = sources(again)
        prompt = total(again, "prompt_tokens")
        shares.append(f"{name}: {100 * gpu / prompt:.1f} % GPU, {100 * host / prompt:.1f} % host")
    return "; ".join(shares)


def events(world):
    """KV events over ZeroMQ: what the engine publishes about its blocks must be what it counts."""
    plan = world.plan("events")
    plan["arms"], plan["schedule"]["pairs"], plan["schedule"]["controls"] = [], 0, []
    arm(plan, "on", True, capacity__host_bytes=700 * BLOCK_BYTES)
    plan["engine"]["extra_args"] += ["--kv-events-config", json.dumps({"enable_kv_cache_events": True})]
    _, document = world.run(plan)
    all_exact(document, 18)
    seen = next(c for c in document["session_checks"] if c["id"] == "R19")
    expect("R19", seen["state"], "pass")
    return seen["why"]


class Engine:
    """A vLLM that somebody else started, by the very command that the plan shows."""

    def __init__(self, world, plan, name):
        shown = world.ask("plan", "show", world.write(plan), codes=(0,))
        words = shlex.split(next(a for a in shown["arms"] if a["arm"] == name)["command"])
        self.port = 18080 + os.getpid() % 10000
        words[words.index("--port") + 1] = str(self.port)
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = open(os.path.join(world.out, plan["name"] + ".log"), "w")
        self.child = subprocess.Popen(words, stdout=self.log, stderr=self.log, start_new_session=True)

    def __enter__(self):
        wait_for("the engine to be ready", self.ready, 600)
        return self

    def ready(self):
        if self.child.poll() is not None:
            raise Failed(f"the engine ended with exit code {self.child.returncode}, see {self.log.name}")
        return subprocess.run(["python3", "-c", f"import urllib.request as u; u.urlopen('{self.url}/health', timeout=2)"],
                              stderr=subprocess.DEVNULL).returncode == 0

    def __exit__(self, *_):
        self.child.terminate()
        try:
            self.child.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
        self.log.close()


def attach(world):
    """A server that runs already; then once more with another client's request in between."""
    plan = world.plan("attach", workload__rounds=2)
    with Engine(world, plan, "on") as engine:
        path = world.write(plan)
        journal = world.journal(plan)
        world.ask("attach", "--url", engine.url, "--plan", path, "--journal", journal, "--arm", "on")
        document = world.ask("reconcile", journal, "--requests")
        expect("requests, reconciled", (document["requests"], document["reconciled"]), (12, 12))
        predicted(document["request_list"])
        limits = json.dumps(world.ask("decide", journal)["not_established"])
        if "fresh" not in limits and "not started" not in limits:
            raise Failed("a server that we did not start must be named among what the run does not establish")

        other = world.plan("foreign", workload__rounds=2, workload__seed=2)
        journal = world.journal(other)
        child = world.start("attach", "--url", engine.url, "--plan", world.write(other), "--journal", journal, "--arm", "on", "--json")

        def interfere():
            wait_for("some measured requests", lambda: measured(journal) >= 3, 120)
            for i in range(3):
                post(engine.url + "/v1/completions", {"model": "tiny", "prompt": [300 + i] * 40, "max_tokens": 200, "temperature": 0, "ignore_eos": True})

        friend = threading.Thread(target=interfere)
        friend.start()
        child.communicate()
        friend.join()
        spoiled = world.ask("reconcile", journal, "--requests")
        if not check(spoiled, "R9")["fail"] and not check(spoiled, "R14")["fail"]:
            raise Failed("another client's requests were not noticed")
        decided = world.ask("decide", journal)
        expect("verdict with a foreign client", decided["verdict"], "withdrawn")
    world.nothing_left()
    return f"12 of 12 reconciled and predicted; of the disturbed run {spoiled['reconciled']} of {spoiled['requests']}, withdrawn"


def interrupted_run(world, name, victim, wanted):
    """Kills one process of the engine while requests are measured."""
    plan = world.plan(name)
    journal = world.journal(plan)
    child = world.start("run", world.write(plan), "--journal", journal, "--json")
    wait_for("measured requests", lambda: measured(journal) >= 2, 900)
    pids = [pid for pid, command in world.ours().items() if victim(command)]
    if len(pids) != 1:
        child.send_signal(signal.SIGINT)
        child.communicate()
        raise Failed(f"one process to kill expected: {world.ours()}")
    os.kill(pids[0], signal.SIGKILL)
    began = time.monotonic()
    out, _ = child.communicate()
    took = time.monotonic() - began
    world.nothing_left()
    return ended_so(child.returncode, out, wanted) + f" after {took:.1f} s, nothing left running"


def ended_so(code, out, wanted):
    """Exit code 3, the first session failed, and its reason in these words."""
    document = json.loads(out)
    expect("exit code", code, 3)
    session = document["sessions"][0]
    expect("state", session["state"], "failed")
    if not any(w in session["why"] for w in wanted):
        raise Failed(f"the reason names none of {wanted}: {session['why']}")
    return session["why"].split(";")[0][:160]


def kill_engine_core(world):
    """SIGKILL of the engine core: its API server ends by itself, with exit code 0."""
    return interrupted_run(world, "kill-core", lambda c: c.startswith("VLLM::EngineCore"), ["engine"])


def kill_api_server(world):
    """SIGKILL of the API server: the engine core and its worker would live on."""
    return interrupted_run(world, "kill-api", lambda c: " serve " in c, ["signal 9"])


def hanging_start(world):
    """An engine core that never finishes loading."""
    plan = world.plan("hang-start", limits__start_s=45.0)
    plan["engine"]["extra_env"]["KVCLIFF_LIVE_HANG"] = "start"
    child = world.start("run", world.write(plan), "--journal", world.journal(plan), "--json")
    out, _ = child.communicate()
    world.nothing_left()
    return ended_so(child.returncode, out, ["did not become ready"]) + ", nothing left running"


def hanging_stop(world):
    """An API server that never ends: the session has its results, and nothing stays."""
    plan = world.plan("hang-stop", workload__documents=2, workload__rounds=2, limits__stop_s=5.0)
    plan["arms"], plan["schedule"]["pairs"], plan["schedule"]["controls"] = [], 0, []
    arm(plan, "on", True)
    plan["engine"]["extra_env"]["KVCLIFF_LIVE_HANG"] = "stop"
    journal, document = world.run(plan)
    expect("state", document["sessions"][0]["state"], "finished")
    expect("reconciled", document["reconciled"], 4)
    stop = document["sessions"][0]
    return f"finished; killed after its grace, nothing left running ({stop.get('why', '')})"


ALL = [reference, cliff, events, streams, sweep, attach, kill_engine_core, kill_api_server, hanging_start, hanging_stop]
