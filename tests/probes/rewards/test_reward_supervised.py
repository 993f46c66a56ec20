"""Work that does not return, or ends its process, is left and reported; the rest goes on."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from test_reward_probe import python

SLEEP = 10_000_000 + os.getpid()
"""Seconds that no other run of these tests sleeps."""
WORK = """
import ctypes, json, os, time
from trl_doctor.probes.reward_functions.supervised import each_done

def spins():
    while True:
        try:
            time.sleep(0.05)
        except BaseException:
            pass

def work(number, report):
    report.doing("calling", {"name": works[number].__name__})
    works[number]()
    return {"fine": os.getpid()}

def fine():
    pass

def blocks():
    while True:
        ctypes.PyDLL(None).sleep(1000)

def crashes():
    os.kill(os.getpid(), 11)

def leaves():
    os._exit(3)

def forks():
    if not os.fork():
        time.sleep(600)
        os._exit(0)
    os._exit(4)

def starts():
    import subprocess
    subprocess.run(["sleep", f"{SLEEP}"])

def fails():
    {}["nothing"]
"""


def test_a_call_that_hangs_is_left_and_its_line_is_reported() -> None:
    first, spins, blocks, last = trials("[fine, spins, blocks, fine]", seconds=20)
    assert (spins["name"], blocks["name"]) == ("spins", "blocks")
    assert [report["frames"][0][2] for report in (spins, blocks)] == ["spins", "blocks"]
    assert first["fine"] != last["fine"]


def test_a_call_that_ends_its_process_is_reported_with_the_status() -> None:
    crashes, first, leaves, last = trials("[crashes, fine, leaves, fine]", seconds=20)
    assert (crashes, leaves) == (
        {"name": "crashes", "status": -11},
        {"name": "leaves", "status": 3},
    )
    assert first["fine"] != last["fine"]


def test_what_it_has_started_neither_holds_it_up_nor_stays() -> None:
    forks, starts, last = trials("[forks, starts, fine]", seconds=20)
    assert forks == {"name": "forks", "status": 4}
    assert starts["name"] == "starts" and "fine" in last
    running = subprocess.run(["ps", "-axo", "args"], capture_output=True, text=True).stdout
    assert f"sleep {SLEEP}" not in running


def test_without_trouble_all_is_done_by_one_process() -> None:
    assert len({report["fine"] for report in trials("[fine, fine, fine]", seconds=20)}) == 1


def test_where_there_is_no_time_the_first_still_gets_some() -> None:
    (report,) = trials("[spins]", seconds=-5)
    assert report["name"] == "spins"


def test_an_error_of_the_work_itself_is_raised() -> None:
    code = WORK + "works = [fails]\n"
    code += "try:\n    each_done(work, 1, 20)\nexcept RuntimeError as error:\n    print(error)\n"
    assert python(code) == "KeyError: 'nothing'\n"


def trials(works: str, seconds: float) -> list[dict[str, Any]]:
    """What is found of each piece of work, in a process of its own."""
    code = f"{WORK}\nSLEEP, works = {SLEEP}, {works}\n"
    code += f"print(json.dumps(each_done(work, len(works), {seconds})))\n"
    data: list[dict[str, Any]] = json.loads(python(code))
    return data
