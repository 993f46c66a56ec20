"""What becomes of probes: each beside a healthy one, which is answered all the same."""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking.questions import (
    LINUX,
    PYTHON,
    Nothing,
    ask,
    asked,
    fate,
    healthy,
    hostile,
    nothing_left,
    sign,
)  # fmt: skip

from trl_doctor.asking.limits import ProbeLimits, free_memory, size
from trl_doctor.asking.probes import Probes
from trl_doctor.asking.usage import processes, tree_memory
from trl_doctor.files.hub.cache import cache_root
from trl_doctor.probes.landlock import missing

MIB = 1024**2


@pytest.fixture(autouse=True)
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nothing]:
    """After each test no process, no temporary file and no open descriptor is left."""
    yield from nothing_left(tmp_path, monkeypatch)


def test_a_question_is_answered() -> None:
    (answer,) = asked(hostile("surroundings"))
    assert answer.state == "answered"
    assert answer.value["files"] == []
    assert answer.seconds >= 0 and answer.memory > MIB
    assert answer.measured() == answer.value


@pytest.mark.parametrize(
    ("do", "state", "reason"),
    [
        ("raise", "raised", "KeyError: 'lm_head'"),
        ("raise in two lines", "raised", "ValueError: first"),
        ("raise the unspeakable", "raised", "Unspeakable: (its message cannot be shown: Val"),
        ("raise at length", "raised", "ValueError: xxx"),
        ("raise SystemExit", "raised", "SystemExit: no GPU"),
        ("exit", "raised", "SystemExit: 0"),
        ("recurse", "raised", "RecursionError: maximum recursion depth exceeded"),
        ("ask a question", "raised", "EOFError: EOF when reading a line"),
        ("raise MemoryError", "out of memory", "MemoryError"),
        ("no memory for a tensor", "out of memory", "RuntimeError: DefaultCPUAllocator"),
        ("leave with 3", "died", "it exited with status 3"),
        ("leave with 0", "died", "it ended without an answer"),
        ("segfault", "died", "it was killed by SIGSEGV"),
        ("die by SIGKILL", "died", "it was killed (SIGKILL), probably by the system because"),
        ("answer a set", "died", "its answer is no JSON: Object of type set is not JSON"),
        ("answer an object", "died", "its answer is a object, not a dict"),
        ("answer a list", "died", "its answer is a list, not a dict"),
        ("answer itself", "died", "its answer is no JSON: Circular reference"),
        ("answer 50 MB", "died", "its answer has 524288"),
        ("no such thing", "raised", "KeyError: 'no such thing'"),
    ],
)  # fmt: skip
def test_a_failed_probe_has_a_reason(do: str, state: str, reason: str) -> None:
    answer = fate(do)
    assert (answer.state, answer.reason[: len(reason)]) == (state, reason)
    assert len(answer.reason) < 500


@pytest.mark.parametrize(
    "do",
    [
        "leave a child", "flood", "bury", "loopback", "delete its folder",
        "delete all its folders", "go elsewhere", "close everything", "endless threads",
        "replace the streams", "handle signals",
    ],
)  # fmt: skip
def test_a_rude_probe_is_answered(do: str) -> None:
    assert fate(do).state == "answered"


def test_an_error_is_reported_with_its_calls() -> None:
    answer = fate("raise")
    assert answer.raised
    assert (answer.raised.type, answer.raised.message) == ("KeyError", "'lm_head'")
    assert answer.raised.frames[-1][0].endswith("hostile.py")
    assert answer.raised.frames[-1][2:] == ("_raise", "raise error")
    assert re.search(r"asking/hostile\.py:\d+ in _raise$", answer.raised.at)
    assert answer.tail[-1] == "KeyError: 'lm_head'"


def test_a_segfault_shows_where() -> None:
    assert any("string_at" in line for line in fate("segfault").tail)


def test_an_answer_may_hold_nan() -> None:
    assert math.isnan(fate("answer NaN").value["loss"])


def test_noise_is_no_protocol_and_its_end_is_evidence() -> None:
    answer = fate("noise")
    assert answer.reason == "ValueError: after the noise"
    assert "new" in answer.tail
    assert all(line.isprintable() for line in answer.tail)


@pytest.mark.parametrize("do", ["connect", "look up", "look up backwards", "download"])
def test_the_network_is_out_of_reach_and_the_attempt_is_reported(do: str) -> None:
    answer = fate(do)
    assert answer.state == "raised"
    assert answer.raised and answer.raised.contained
    assert "a probe may not" in answer.reason


CONFINED = pytest.mark.skipif(bool(missing()), reason=missing())


@CONFINED
def test_a_probe_changes_nothing_outside_its_own_folders(tmp_path: Path) -> None:
    folder = tmp_path / "others"
    (folder / "inner").mkdir(parents=True)
    (folder / "file").write_text("as it was")
    (answer,) = asked(hostile("write elsewhere", folder=str(folder)))
    assert (answer.state, answer.value) == ("answered", {"done": []})
    assert (folder / "file").read_text() == "as it was"
    assert sorted(path.name for path in folder.iterdir()) == ["file", "inner"]


@CONFINED
def test_an_import_changes_nothing_outside_the_probes_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "writes.py").write_text(f"open({str(tmp_path / 'made')!r}, 'w')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (answer,) = asked(healthy(imports=("writes",)))
    assert answer.state == "answered"
    assert not (tmp_path / "made").exists()


@CONFINED
def test_a_probe_that_writes_elsewhere_is_reported(tmp_path: Path) -> None:
    (answer,) = asked(hostile("hang", file=str(tmp_path / "file")))
    assert answer.state == "raised"
    assert answer.raised and answer.raised.contained
    assert "Permission denied" in answer.reason


@pytest.mark.parametrize("do", ["take memory", "take memory slowly"])
def test_memory_is_limited(do: str) -> None:
    answer = fate(do, ProbeLimits(memory=200 * MIB))
    assert answer.state == "out of memory"
    assert re.fullmatch(
        r"it took .* of memory, 200 MiB are allowed \(--memory-limit\)", answer.reason
    )
    assert 200 * MIB < answer.memory < 4000 * MIB


@pytest.mark.parametrize(
    ("do", "reason"),
    [("fill the disk", "it wrote more than 4 MiB"), ("sparse file", "OSError: [Errno 27]")],
)
def test_disk_is_limited(do: str, reason: str) -> None:
    answer = fate(do, ProbeLimits(disk=4 * MIB))
    assert (answer.state, answer.reason[: len(reason)]) == ("out of disk", reason)


def test_a_folder_that_cannot_be_made_costs_only_its_question() -> None:
    with Probes(PYTHON) as probes:
        assert ask(probes, healthy(1))[0].state == "answered"
        assert probes._host
        shutil.rmtree(probes._host.root)
        probes._host.root.touch()
        (answer,) = ask(probes, healthy(2))
        probes._host.root.unlink()
    assert answer.state == "died"
    assert answer.reason.startswith("its folder cannot be made: ")


def test_time_is_limited() -> None:
    answer = fate("hang", ProbeLimits(seconds=8))
    assert (answer.state, answer.reason) == ("timed out", "it took more than 8 s (--timeout)")


def test_time_counts_from_the_start_of_each_probe() -> None:
    answers = asked(*(hostile("sleep", seconds=2.5, n=n) for n in range(3)),
                    limits=ProbeLimits(seconds=7), at_once=1)  # fmt: skip
    assert [answer.state for answer in answers] == ["answered"] * 3


@pytest.mark.skipif(not LINUX, reason="only Linux hands orphans over")
def test_a_daemon_is_ended_while_another_probe_still_runs(tmp_path: Path) -> None:
    file = str(sign(tmp_path, "daemon"))
    answers = asked(hostile("leave a daemon", file=file), hostile("await its end", file=file))
    assert [answer.state for answer in answers] == ["answered", "answered"]


@pytest.mark.skipif(not LINUX, reason="only Linux hands orphans over")
def test_a_probe_keeps_its_daemon_while_others_end(tmp_path: Path) -> None:
    keeper = hostile("keep a daemon", file=str(sign(tmp_path, "daemon")), seconds=0.7)
    others = [hostile("sleep", seconds=0.2, n=n) for n in range(3)]
    answer = asked(keeper, *others)[0]
    assert answer.value == {"state": "S"}


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_no_more_than_allowed_run_at_once(at_once: int) -> None:
    answers = asked(*(hostile("when", n=n) for n in range(2 * at_once)), at_once=at_once)
    spans = [(answer.value["from"], answer.value["to"]) for answer in answers]
    together = [sum(a <= start < b for a, b in spans) for start, _ in spans]
    assert max(together) <= at_once
    assert at_once == 1 or max(together) > 1


def test_equal_questions_start_one_probe() -> None:
    first, again = asked(hostile("when"), hostile("when"))
    assert first is again


def test_the_environment_is_the_users_without_secrets_and_jobs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HF_TOKEN", "WANDB_API_KEY", "https_proxy", "RANK", "ACCELERATE_USE_FSDP", "MINE",
                 "HF_DATASETS_CACHE", "HF_MODULES_CACHE"):  # fmt: skip
        monkeypatch.setenv(name, "1")
    (answer,) = asked(hostile("surroundings"))
    names = answer.value["variables"]
    assert names["MINE"] == names["HF_HUB_OFFLINE"] == names["DISABLE_TELEMETRY"] == "1"
    gone = {"HF_TOKEN", "WANDB_API_KEY", "https_proxy", "RANK", "ACCELERATE_USE_FSDP"}
    assert not gone & set(names)
    assert Path(names["TMPDIR"]).parent == Path(answer.value["folder"]).parent
    for name in ("HF_DATASETS_CACHE", "HF_MODULES_CACHE"):
        assert Path(names["HF_HOME"]) in Path(names[name]).parents, "the libraries write there"
    assert names["KERNELS_CACHE"] == str(cache_root()), (
        "kernels of the Hub, where the user has them"
    )
    caches = {names[name] for name in ("VLLM_CACHE_ROOT", "TRITON_CACHE_DIR")}
    assert all("trl-doctor" in cache for cache in caches), (
        "nothing is left in the user's own caches"
    )


def test_sizes() -> None:
    assert [size(text) for text in ("8GiB", "8g", "0.5 kb", "3")] == [8 << 30, 8 << 30, 512, 3]
    for text in ("", "GiB", "0", "0.1", "-1G", "1.G", "1e9", "8 GiBs"):
        with pytest.raises(ValueError, match="no size"):
            size(text)


@pytest.mark.skipif(not LINUX, reason="Linux says what is free")
def test_the_usual_limit_of_memory_is_less_than_what_is_free() -> None:
    free = free_memory()
    assert free and 0.5 * free < ProbeLimits().memory < free


def test_a_containers_limit_counts(tmp_path: Path) -> None:
    assert free_memory(tmp_path) is None
    group = tmp_path / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal: 9 kB\nMemAvailable:   4000 kB\n")
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("700000\n")
    (group / "memory.stat").write_text("anon 5\ninactive_file 100000\n")
    assert free_memory(tmp_path) == 4000 * 1024
    (group / "memory.max").write_text("1000000\n")
    assert free_memory(tmp_path) == 400_000


def test_no_probe_hides_a_module_of_the_standard_library() -> None:
    folder = Path(__file__).parents[2] / "trl_doctor" / "probes"
    assert not {path.stem for path in folder.glob("*.py")} & sys.stdlib_module_names


HOLDS = """
import os, sys, time
shared = bytearray(os.urandom(1)) * 60_000_000
for _ in range(2):
    if not os.fork():
        own = bytearray(os.urandom(1)) * 10_000_000
        os.write(1, b"forked\\n")  # one call: lines of two processes do not mix
        time.sleep(60)
time.sleep(60)
"""


@pytest.mark.skipif(not LINUX, reason="other systems do not say what is mapped")
def test_a_mapped_file_is_no_memory_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(bytes(range(256)) * 200_000)
    reads = (
        "import mmap, sys; file = open(sys.argv[1], 'rb'); "
        "seen = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ); "
        "sum(seen[::4096]); print('read', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", reads, tmp_path / "weights"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin and process.stdout
        assert process.stdout.readline() == b"read\n"
        memory = processes(process.pid)[process.pid].memory
        mapped = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
        process.stdin.close()
    resident = re.search(r"^Rss:\s+(\d+) kB", mapped, re.MULTILINE)
    assert resident and int(resident[1]) * 1024 > 50_000_000 > memory


@pytest.mark.skipif(not LINUX, reason="other systems do not say what is shared")
def test_what_forked_processes_share_is_counted_once() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout
        assert [process.stdout.readline() for _ in range(2)] == [b"forked\n"] * 2
        alone = processes(process.pid)[process.pid].memory
        memory = tree_memory(process.pid, processes(process.pid))
        most = tree_memory(process.pid, processes(process.pid), enough=10**12)
        os.killpg(process.pid, signal.SIGKILL)
    assert 20_000_000 <= memory - alone < 60_000_000
    assert memory <= most
