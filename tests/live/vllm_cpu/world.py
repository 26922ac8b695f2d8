# SPDX-License-Identifier: GPL-3.0-or-later
"""What the live scenarios share: plans for the tiny model, the command line as a child, and what is left running."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import threading
import time
import typing
import urllib.request
import uuid

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BLOCK_BYTES = 16384  # of the tiny model: 2 layers x 2 KV heads x 64 x (key and value) x 2 bytes x 16 tokens
MARK = "KVCLIFF_LIVE_RUN"  # in the environment of everything that a scenario starts


class Failed(Exception):
    """A scenario saw something else than it must."""


def expect(what, seen, wanted):
    if seen != wanted:
        raise Failed(f"{what}: {seen!r}, not {wanted!r}")


class Seen(typing.NamedTuple):
    """What a scenario saw: measured requests, those reconciled, those predicted to the token (None: not claimed)."""
    requests: int | None = None
    reconciled: int | None = None
    predicted: int | None = None
    text: str = ""

    @classmethod
    def of(cls, document, predicted, text):
        return cls(document["requests"], document["reconciled"], predicted, text)


class World:
    def __init__(self, cli, engine, out):
        self.cli, self.engine, self.out = os.path.abspath(cli), os.path.abspath(engine), os.path.abspath(out)
        self.mark = uuid.uuid4().hex
        self.sessions = set()  # process sessions of our engines
        os.makedirs(self.out, exist_ok=True)

    def plan(self, name, base="reference", **changes):
        """A shipped plan for the tiny model. Changes are dotted paths with two underscores: workload__documents=2."""
        with open(os.path.join(TOP, "resources/plans", base + ".json")) as f:
            plan = json.load(f)
        plan["name"] = "live-" + name
        plan["engine"] = {
            "adapter": "vllm", "version": "0.32.0", "environment": self.engine,
            "extra_args": ["--dtype", "bfloat16", "--enforce-eager", "--max-num-seqs", "16"],
            "extra_env": {"PYTHONPATH": os.path.join(TOP, "tests/live/vllm_cpu/plugin"), "KVCLIFF_LIVE_BLOCK16": "1", MARK: self.mark}}
        plan["model"] = {"config": os.path.join(TOP, "tests/data/vllm-cpu/models/tiny/config.json"), "kv_dtype": "auto", "tp": 1,
                         "pp": 1, "weights": "dummy"}
        plan["capacity"]["host_bytes"] = 1250 * BLOCK_BYTES
        for path, value in changes.items():
            *parents, leaf = path.split("__")
            node = plan
            for p in parents:
                node = node[p]
            node[leaf] = value
        return plan

    def write(self, plan):
        path = os.path.join(self.out, plan["name"] + ".json")
        with open(path, "w") as f:
            json.dump(plan, f, indent=1)
        return path

    def journal(self, plan):
        path = os.path.join(self.out, plan["name"] + ".kvcliff")
        for tail in ("", "-wal", "-shm"):
            if os.path.exists(path + tail):
                os.remove(path + tail)
        return path

    def start(self, *args):
        """A command of ours; its standard error lies beside the journals."""
        with open(os.path.join(self.out, "commands.err"), "a") as err:
            err.write("$ " + " ".join(args) + "\n")
            err.flush()
            child = subprocess.Popen([self.cli, *args], stdout=subprocess.PIPE, stderr=err, text=True)
        threading.Thread(target=self.watch, args=(child,), daemon=True).start()
        return child

    def watch(self, child):
        """Learns the sessions of the engines that a command starts, so that their orphans are known later."""
        while child.poll() is None:
            self.ours()
            time.sleep(1)

    def ask(self, *args, codes=(0, 1)):
        """Runs a command with --json and gives its document."""
        child = self.start(*args, "--json")
        out, _ = child.communicate()
        if child.returncode not in codes:
            raise Failed(f"kvcliff-cli {args[0]} ended with exit code {child.returncode}: {out[-600:]}")
        return json.loads(out)

    def run(self, plan, codes=(0, 1)):
        """Runs a plan to its end: the journal, and what reconcile says of each request."""
        journal = self.journal(plan)
        self.ask("run", self.write(plan), "--journal", journal, codes=codes)
        self.nothing_left()
        return journal, self.ask("reconcile", journal, "--requests")

    def ours(self):
        """Living processes of engines that carry this run's mark: pid -> command line. An engine core writes its title over
        its environment, so whoever shares a session with a marked process counts as well."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as f:
                    state, _, _, session = f.read().rsplit(")", 1)[1].split()[:4]
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if f"{MARK}={self.mark}".encode() in f.read():
                        self.sessions.add(session)
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    found[int(pid)] = (session, state, f.read().replace(b"\0", b" ").decode(errors="replace").strip())
            except OSError:
                continue
        return {pid: command for pid, (session, state, command) in found.items() if session in self.sessions and state != "Z"}

    def nothing_left(self, patience=5):
        """The engine is gone when the command ends; its kernel may still clear away for a moment."""
        deadline = time.monotonic() + patience
        while self.ours() and time.monotonic() < deadline:
            time.sleep(0.1)
        left = self.ours()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        if left:
            raise Failed(f"still running after the end: {left}")


def arm(plan, name, offload, **overrides):
    """Adds an arm that runs once, after the pairs."""
    plan["arms"].append({"name": name, "offload": offload, "overrides": {k.replace("__", "."): v for k, v in overrides.items()}})
    plan["schedule"]["controls"].append(name)


def only(plan, name=None):
    """The plan without its arms, but for one with the tier where a name is given."""
    plan["arms"], plan["schedule"]["pairs"], plan["schedule"]["controls"] = [], 0, []
    if name:
        arm(plan, name, True)
    return plan


def wait_for(what, condition, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.2)
    raise Failed(f"waited {seconds} s for {what}")


def measured(journal):
    """Requests that are measured so far, from the journal of a run that goes on."""
    try:
        return rows(journal, "SELECT count(*) FROM requests WHERE warmup = 0")[0][0] if os.path.exists(journal) else 0
    except sqlite3.Error:  # it is being made
        return 0


def rows(journal, query):
    with contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=2)) as db:
        return db.execute(query).fetchall()


def by_arm(document):
    """Arm -> its measured requests, of finished sessions."""
    arms = {s["ordinal"]: s["arm"] for s in document["sessions"] if s["state"] == "finished"}
    out = {}
    for r in document["request_list"]:
        if r["session"] in arms:
            out.setdefault(arms[r["session"]], []).append(r)
    return out


def total(requests, field):
    return sum(r[field] for r in requests)


def check(document, name):
    return next(c for c in document["checks"] if c["id"] == name)


def post(url, body, timeout=120):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return answer.read()
