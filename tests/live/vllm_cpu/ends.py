# SPDX-License-Identifier: GPL-3.0-or-later
"""How a live vLLM may end under us: killed, hanging at its start, hanging at its stop. Nothing may stay."""
import json
import os
import signal
import time

from scenarios import predicted
from world import Failed, Seen, expect, measured, only, wait_for


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
    return Seen(text=ended_so(child.returncode, out, wanted) + f"; over {took:.1f} s later, nothing left running")


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
    return Seen(text=ended_so(child.returncode, out, ["did not become ready"]) + ", nothing left running")


def hanging_stop(world):
    """An API server that never ends: the session has its results, and nothing stays."""
    plan = only(world.plan("hang-stop", workload__documents=2, workload__rounds=2, limits__stop_s=5.0), "on")
    plan["engine"]["extra_env"]["KVCLIFF_LIVE_HANG"] = "stop"
    _, document = world.run(plan)
    expect("state", document["sessions"][0]["state"], "finished")
    expect("reconciled", document["reconciled"], 4)
    stop = document["sessions"][0]
    return Seen.of(document, predicted(document["request_list"]), f"finished; killed after its grace, nothing left running ({stop.get('why', '')})")


ALL = [kill_engine_core, kill_api_server, hanging_start, hanging_stop]
