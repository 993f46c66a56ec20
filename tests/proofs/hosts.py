"""Processes that have imported an environment's libraries, kept for the proofs that follow."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from trl_doctor.asking.host import Host, remove
from trl_doctor.asking.variables import variables

SCRIPT = Path(__file__).with_name("real_host.py")
CPU_SECONDS, SECONDS = 300, 3600
"""What a real run may take: a hang that waits is ended too, but no busy machine ends a run."""

QUIET = {
    "HF_HUB_OFFLINE": "1",
    "CI": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRL_EXPERIMENTAL_SILENCE": "1",
}
"""The variables of a real run: nothing is fetched, and one thread works on the CPU."""

TRAINERS = ("GRPO", "RLOO", "PPO", "SFT", "DPO", "KTO", "Reward")
IMPORTED = (
    "torch",
    "torch._dynamo",
    "datasets",
    "transformers:AutoTokenizer",
    "transformers:PreTrainedTokenizerFast",
    "transformers.models.llama.modeling_llama",
    "transformers.models.qwen2.modeling_qwen2",
    "trl",
    *(f"trl:{name}{part}" for name in TRAINERS for part in ("Trainer", "Config")),
    "trl.experimental.ppo:PPOTrainer",
    "vllm:LLM",
    "vllm:SamplingParams",
    "vllm.v1.worker.cpu_worker",
    "vllm.v1.core.sched.scheduler",
    "vllm.v1.executor.uniproc_executor",
    "vllm.v1.attention.backends.cpu_attn",
    "vllm.model_executor.model_loader",
    "vllm.model_executor.models.llama",
    "vllm.model_executor.models.qwen3",
    "vllm.model_executor.warmup",
    "vllm.lora.layers",
    "trl.generation.vllm_generation",
    "trl.rewards:accuracy_reward",
    "trl.scripts.utils",
    "accelerate.commands.launch",
    "math_verify",
    "numpy.ctypeslib",
    "torch.utils.serialization.config",
)
"""What nearly every run needs; what an environment lacks of it is left out."""

PROBES = ("config", "load", "data", "step", "termination", "forward", "rewards", "start")
"""The doctor's own probes: nearly every check at level tiny asks these."""


class Kept(Protocol):
    """A process that is kept: it can be asked whether it still runs, and ended."""

    def alive(self) -> bool: ...

    def end(self) -> None: ...


Process = TypeVar("Process", bound=Kept)


class Pool:
    """The processes that were used last, each with what it was made of; at most `most`."""

    def __init__(self, most: int = 2) -> None:
        self.most = most
        self._kept: list[tuple[Any, Kept]] = []

    def take(self, key: Any, make: Callable[[], Process]) -> Process:
        """A process of this key, or a new one; nobody else gets it until it is put back."""
        for at, (other, found) in enumerate(self._kept):
            if other == key:
                del self._kept[at]
                if found.alive():
                    return found  # type: ignore[return-value]
                found.end()
                break
        return make()

    def put(self, key: Any, process: Kept) -> None:
        """Keep a process for who asks next."""
        self._kept.append((key, process))
        while len(self._kept) > self.most:
            self._kept.pop(0)[1].end()

    def close(self) -> None:
        """End them all."""
        while self._kept:
            self._kept.pop()[1].end()


REAL, DOCTOR = Pool(), Pool()


class RealHost:
    """A running `real_host.py`, and its folder for temporary files."""

    def __init__(self, python: Path, own: Mapping[str, str]) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="real-"))
        self._empty()
        places = {"HF_HOME": str(self.root / "home"), "TMPDIR": str(self.root / "scratch")}
        with (self.root / "log").open("w") as log:
            self.process = subprocess.Popen(
                [python, SCRIPT, *IMPORTED],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self.root,
                text=True,
                env={**own, **places},
                start_new_session=True,
            )

    def run(
        self, arguments: Sequence[str], given: str, cwd: Path | None, more: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """What `python arguments` does, in a fork of the host."""
        files = {name: str(self.root / name) for name in ("input", "output", "errors")}
        for name, file in files.items():
            Path(file).write_text(given if name == "input" else "")
        order = {
            "arguments": arguments,
            "cwd": str(cwd or self.root / "scratch"),
            "variables": dict(more),
            "cpu_seconds": CPU_SECONDS,
            "seconds": SECONDS,
            **files,
        }
        assert self.process.stdin and self.process.stdout
        print(json.dumps(order), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        assert line, (self.root / "log").read_text()[-2000:]
        output, errors = (
            Path(files[name]).read_text("utf-8", "replace") for name in ("output", "errors")
        )
        self._empty()
        status = json.loads(line)["status"]
        return subprocess.CompletedProcess(list(arguments), status, output, errors)

    def _empty(self) -> None:
        for name in ("home", "scratch"):
            shutil.rmtree(self.root / name, ignore_errors=True)
            (self.root / name).mkdir()

    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        self.process.communicate()


def real_run(
    python: Path,
    arguments: Sequence[str],
    given: str = "",
    cwd: Path | None = None,
    own: Mapping[str, str] | None = None,
    more: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """What `python arguments` does, with the libraries imported before.

    `own` are the variables under which they are imported, beside this process's; `more` are set
    for this run alone.
    """
    own = {**_inherited(), **(own or {})}
    key = (python, frozenset(own.items()))
    host = REAL.take(key, lambda: RealHost(python, own))
    try:
        return host.run(arguments, given, cwd, more or {})
    finally:
        REAL.put(key, host)


class KeptHost(Host):
    """A host of the doctor's probes that is put back, not ended, when a command is through."""

    def __init__(self, key: Any, python: Path, more: Mapping[str, str]) -> None:
        self.key, self.under_way = key, 0
        super().__init__(
            python, more, (*IMPORTED, *(f"trl_doctor_probes.{name}" for name in PROBES))
        )

    def send(self, **order: Any) -> None:
        self.under_way += "ask" in order
        super().send(**order)

    def read_events(self) -> list[dict[str, Any]]:
        events = super().read_events()
        self.under_way -= sum("ended" in event or "failed" in event for event in events)
        return events

    def close(self) -> None:
        """Put it back without a trace of what it did; end it where a probe is under way."""
        if self.under_way or not self.ready or not self.alive():
            self.end()
            return
        for folder in (*self.root.glob("[0-9]*-*"), *(self.root / "home").iterdir()):
            remove(folder)
        self.output.read()
        self.output.data, self.served = b"", 0
        DOCTOR.put(self.key, self)

    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        super().close()


def doctors_host(python: Path, more: Mapping[str, str], imports: tuple[str, ...]) -> KeptHost:
    """A host for `Probes`, perhaps one that has served others; it imports what most need."""
    key = (python, frozenset(variables(_inherited(), more).items()))
    host = DOCTOR.take(key, lambda: KeptHost(key, python, more))
    host.imports = imports
    return host


def close() -> None:
    """End all that are kept."""
    for pool in (REAL, DOCTOR):
        with suppress(OSError):
            pool.close()


def _inherited() -> dict[str, str]:
    """This process's variables, without the one that names the test."""
    return {name: text for name, text in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
