# SPDX-License-Identifier: GPL-3.0-or-later
"""What a live vLLM must show while it is measured. Each scenario raises world.Failed, or returns world.Seen."""
import json
import os
import shlex
import signal
import subprocess
import threading

from world import BLOCK_BYTES, Failed, Seen, arm, by_arm, check, expect, measured, only, post, rows, total, wait_for


def all_exact(document, requests):
    expect("requests", document["requests"], requests)
    expect("reconciled", document["reconciled"], requests)
    expect("unexplained", document["unexplained"], {"tokens": 0, "bytes": 0})
    no_failures(document)


def no_failures(document, of=""):
    """R21 is a flag about times, and a machine that also does something else has its own: it is shown and not judged."""
    for c in document["checks"]:
        if c["id"] != "R21":
            expect(f"failures of {c['id']}{of}", c["fail"] + c["not_settled"], 0)


def predicted(requests):
    """Every source of every request is the one number that was predicted, never a range. Gives how many these are."""
    for r in requests:
        for source in ("computed", "gpu_hit", "host_loaded"):
            p = r["predicted"][source]
            low, high = (p["low"], p["high"]) if isinstance(p, dict) else (p, p)
            expect(f"prediction of {source}, session {r['session']}, request {r['ordinal']}", (low, high), (r[source], r[source]))
    return len(requests)


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
    n = predicted([r for list_ in arms.values() for r in list_])
    expect("simulated", document["simulated"], False)
    return Seen.of(document, n, "off, on, on, off, control on fresh servers")


def cliff(world):
    """The same again, and host tiers of four documents, within the ramp, and one block past it."""
    plan = world.plan("cliff")
    arm(plan, "four-documents", True, capacity__host_bytes=500 * BLOCK_BYTES)
    arm(plan, "in-the-ramp", True, capacity__host_bytes=700 * BLOCK_BYTES)
    arm(plan, "past-the-ramp", True, capacity__host_bytes=751 * BLOCK_BYTES)
    _, document = world.run(plan)
    all_exact(document, 78 + 3 * 18)
    arms = reference_totals(document)
    n = predicted([r for list_ in arms.values() for r in list_])
    expect("four documents", sources(arms["four-documents"]), (36054, 0, 0))
    expect("past the ramp", sources(arms["past-the-ramp"]), (12054, 0, 24000))
    ramp = sources(arms["in-the-ramp"])
    if not 0 < ramp[2] < 24000:
        raise Failed(f"within the ramp some visits must load and some not: {ramp}")
    return Seen.of(document, n, f"the 78 again; a tier of four documents loads nothing, one within the ramp {ramp[2]:,} of 24,000 tokens, one past it all")


def streams(world):
    """1, 4 and 16 streams: no request has counters of its own, the window's sums must be exact. Which tier serves a visit
    depends on the order in which streams end; that is named, and nothing else may be left."""
    plan = only(world.plan("streams", base="concurrency", capacity__gpu_blocks=1025, capacity__host_bytes=2000 * BLOCK_BYTES))
    for n in (1, 4, 16):
        arm(plan, f"{n}-streams", True, load__mode="closed", load__concurrency=n)
    _, document = world.run(plan)
    expect("unexplained", document["unexplained"], {"tokens": 0, "bytes": 0})
    expect("R14", (check(document, "R14")["pass"], check(document, "R14")["fail"]), (3, 0))
    no_failures(document)
    seen = []
    for name, requests in by_arm(document).items():
        expect(f"requests of {name}", len(requests), 36)
        expect(f"complete, {name}", sum(r["outcome"] == "complete" for r in requests), 36)
        seen.append(f"{name}: {total(requests, 'cached_tokens'):,} cached")
    return Seen.of(document, None, "the windows' sums are exact; " + ", ".join(seen))


def sweep(world):
    """Working sets from a third to three times the GPU cache, on one server whose caches are emptied in between."""
    plan = only(world.plan("sweep"))
    plan["schedule"]["server"] = "kept"
    for n in (1, 3, 4, 9):
        arm(plan, f"{n}-documents", True, workload__documents=n)
    journal, document = world.run(plan)
    all_exact(document, 3 * (1 + 3 + 4 + 9))
    arms = by_arm(document)
    n = predicted([r for list_ in arms.values() for r in list_])
    shares = []
    for name, requests in arms.items():
        again = [r for r in requests if r["round"] > 1]
        _, gpu, host = sources(again)
        prompt = total(again, "prompt_tokens")
        shares.append(f"{name}: {100 * gpu / prompt:.1f} % GPU, {100 * host / prompt:.1f} % host")
    return Seen.of(document, n, "; ".join(shares))


def events(world):
    """KV events over ZeroMQ: what the engine publishes about its blocks must be what it counts."""
    plan = only(world.plan("events", capacity__host_bytes=700 * BLOCK_BYTES), "on")
    plan["engine"]["extra_args"] += ["--kv-events-config", json.dumps({"enable_kv_cache_events": True})]
    _, document = world.run(plan)
    all_exact(document, 18)
    seen = next(c for c in document["session_checks"] if c["id"] == "R19")
    expect("R19", seen["state"], "pass")
    return Seen.of(document, predicted(document["request_list"]), seen["why"])


def without(world, name, extra_args, extra_env, impossible, capabilities):
    """One short session of an engine that lacks something: these checks are not possible and say why, none fails, and a
    source that is not reported is null, never 0."""
    plan = only(world.plan(name, workload__documents=2, workload__rounds=2), "on")
    plan["engine"]["extra_args"] += extra_args
    plan["engine"]["extra_env"].update(extra_env)
    journal, document = world.run(plan)
    expect(f"requests, {name}", document["requests"], 4)
    no_failures(document, f", {name}")
    for id in impossible:
        expect(f"passes of {id}, {name}", check(document, id)["pass"], 0)
        states = [r["checks"][id] for r in document["request_list"] if id in r["checks"]]
        states += [c for c in document["session_checks"] if c["id"] == id]
        if not states or any(c["state"] != "not_possible" or not c["why"] for c in states):
            raise Failed(f"{id} must be not possible and say why, {name}: {states[:2]}")
    stated = json.loads(rows(journal, "SELECT capabilities FROM sessions")[0][0])
    for capability in capabilities:
        if stated[capability]["present"] or not stated[capability]["how"]:
            raise Failed(f"{capability} must be absent with its reason, {name}: {stated[capability]}")
    # An answer tells what was cached, not by which tier: only "nothing" leaves no question.
    if "R5" in impossible and any(r["host_loaded"] is not None for r in document["request_list"] if r["cached_tokens"]):
        raise Failed("a source that is not reported must be null")
    return document


def missing(world):
    """What a user can switch off: the checks that need it are not possible, with the reason."""
    quiet = without(world, "quiet", ["--no-enable-prompt-tokens-details"], {"VLLM_SERVER_DEV_MODE": "0"}, ["R4", "R19"],
                    ["cached_tokens", "reset", "reset_host", "kv_events"])
    blind = without(world, "no-stats", ["--disable-log-stats"], {}, ["R3", "R5", "R6", "R7", "R10", "R19"],
                    ["sources", "prompt_tokens", "requests_finished"])
    return Seen(quiet["requests"] + blind["requests"], quiet["reconciled"] + blind["reconciled"], None,
                "no token details, no development endpoints, no events; then no statistics: not possible, with reasons")


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
        n = predicted(document["request_list"])
        limits = json.dumps(world.ask("decide", journal)["not_established"])
        if "fresh" not in limits and "not started" not in limits:
            raise Failed("a server that we did not start must be named among what the run does not establish")

        # Once more: what is measured lies in its caches now, its warm-up must not.
        journal = world.journal(plan)
        world.ask("attach", "--url", engine.url, "--plan", path, "--journal", journal, "--arm", "on")
        warm = rows(journal, "SELECT prompt_tokens, computed FROM requests WHERE warmup = 1")
        if not warm or any(prompt != computed for prompt, computed in warm):
            raise Failed(f"the second warm-up must find nothing of the first: {warm}")

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
    return Seen.of(document, n, f"a second attach warms up with prompts of its own; of a disturbed run {spoiled['reconciled']} of {spoiled['requests']}, withdrawn")


ALL = [reference, cliff, events, streams, sweep, attach, missing]
