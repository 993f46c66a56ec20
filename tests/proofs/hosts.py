"""Processes that have imported an environment's libraries, kept for the proofs that follow."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from imported import Forked, Imported, Pool, inherited

from trl_doctor.asking.host import SCRIPT, Host, remove
from trl_doctor.asking.variables import places, variables
from trl_doctor.checkup.levels import ON_CPU

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
    "vllm.lora.resolver",
    "vllm.entrypoints.launchers.cli_args",
    "vllm.model_executor.layers.quantization.online.base",
    "vllm.compilation.backends",
    "vllm.compilation.passes.pass_manager",
    "trl.generation.vllm_generation",
    "trl.rewards:accuracy_reward",
    "trl.scripts.utils",
    "accelerate.commands.launch",
    "deepspeed",
    "math_verify",
    "numpy.ctypeslib",
    "torch.utils.serialization.config",
)
"""What nearly every run needs; what an environment lacks of it is left out."""

PROBES = ("config", "load", "data", "step", "termination", "forward", "rewards", "start")
"""The doctor's own probes: nearly every check at level tiny asks these."""


REAL = Pool()


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
    for this run alone. Those of `QUIET` are the doctor's, too: one import is for both.
    """
    with _imported(python, own or {}) as (imported, own):
        return imported.run(
            arguments, given, cwd, variables={**own, **imported.places, **(more or {})},
            cpu_seconds=CPU_SECONDS, seconds=SECONDS,
        )  # fmt: skip


def real_start(
    python: Path,
    arguments: Sequence[str],
    folder: Path,
    log: Path,
    own: Mapping[str, str],
    more: Mapping[str, str],
) -> Forked:
    """The same without waiting for its end, with all temporary files in a folder."""
    places = {"HF_HOME": str(folder), "TMPDIR": str(folder)}
    with _imported(python, own) as (imported, own):
        return imported.start(
            arguments, folder, log, variables={**own, **places, **more}, cpu_seconds=CPU_SECONDS
        )


@contextmanager
def _imported(python: Path, own: Mapping[str, str]) -> Iterator[tuple[Imported, dict[str, str]]]:
    """What has imported the libraries under these variables beside this process's; and all."""
    usual, own = {**inherited(), **QUIET}, {**inherited(), **own}
    if all(own.get(name) == text for name, text in QUIET.items()):
        more = {name: text for name, text in own.items() if usual.get(name) != text}
        key = doctors_key(python, {**ON_CPU, **more})
    else:
        key = python, _at_import(own)
    imported = REAL.take(key, lambda: imports(key))
    try:
        yield imported, own
    finally:
        REAL.put(key, imported)


LATER = (
    "PYTHONDONTWRITEBYTECODE",
    "HF_HOME",
    "TMPDIR",
    "TORCHDYNAMO_DISABLE",
    "VLLM_CACHE_ROOT",
    "VLLM_CPU_KVCACHE_SPACE",
    "VLLM_ENABLE_V1_MULTIPROCESSING",
    "VLLM_NO_USAGE_STATS",
    "VLLM_USE_AOT_COMPILE",
)
"""Each fork has its own: no library reads these when it is imported, or the fork sets them."""

Key: TypeAlias = tuple[Path, frozenset[tuple[str, str]]]
"""An interpreter, and the variables under which it imports."""

Names: TypeAlias = tuple[str, ...]


def imports(key: Key) -> Imported:
    """A new process that imports the libraries."""
    python, own = key
    return Imported(python, dict(own), IMPORTED)


def doctors_key(python: Path, more: Mapping[str, str]) -> Key:
    """What a doctor's host imports under, without what matters later only."""
    return python, _at_import(variables(inherited(), more))


def _at_import(own: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset((name, text) for name, text in own.items() if name not in LATER)


class KeptHost(Host):
    """A host of the doctor's probes that is put back, not ended, when a command is through.

    One that does not `stay` ends then, as a command's own does.
    """

    stays, under_way = True, 0

    def send(self, **order: Any) -> None:
        self.under_way += "ask" in order
        super().send(**order)

    def read_events(self) -> list[dict[str, Any]]:
        events = super().read_events()
        self.under_way -= sum("ended" in event or "failed" in event for event in events)
        return events

    def close(self) -> None:
        """Put it back without a trace of what it did; end it where a probe is under way."""
        if not self.stays or self.under_way or not self.ready or not self.alive():
            self.end()
            return
        for folder in self.root.glob("[0-9]*-*"):
            remove(folder)
        self.output.read()
        self.output.data, self.served = b"", 0
        self.put_back()

    def put_back(self) -> None:
        """Keep it for who asks next."""
        raise NotImplementedError

    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        super().close()


class ForkedHost(KeptHost):
    """One that is itself a fork of what is imported, which has a home already."""

    def __init__(self, key: Key, python: Path, more: Mapping[str, str], imported: Imported) -> None:
        self.key, self.imported = key, imported
        self.own = frozenset(more.items())
        super().__init__(python, more, tuple(f"trl_doctor_probes.{name}" for name in PROBES))

    def _start(self, more: Mapping[str, str]) -> None:
        theirs_in, self._in = os.pipe()
        self.events, theirs_out = os.pipe()
        output = os.open(self.root / "output", os.O_WRONLY)
        self._open += [self._in, self.events]
        folders = {**places(self.imported.root), "TMPDIR": str(self.root)}
        own = variables(inherited(), {**folders, **more})
        try:
            self.process = self.imported.host(  # type: ignore[assignment]
                (theirs_in, theirs_out, output),
                script=str(SCRIPT),
                root=str(self.root),
                folders=[str(self.root), str(self.imported.home), own["XDG_CACHE_HOME"]],
                variables=own,
                imports=self.imports,
            )
        finally:
            for end in (theirs_in, theirs_out, output):
                os.close(end)

    def close(self) -> None:
        super().close()
        self.imported.empty()
        REAL.put(self.key, self.imported)

    def put_back(self) -> None:
        self.imported.idle.setdefault(self.own, []).append(self)


def doctors_host(python: Path, more: Mapping[str, str], wanted: Names) -> ForkedHost:
    """A host for `Probes`, perhaps one that has served others; it imports what most need."""
    key = doctors_key(python, more)
    imported = REAL.take(key, lambda: imports(key))
    idle = imported.idle.get(frozenset(more.items()), [])
    while idle:
        host: ForkedHost = idle.pop()
        if host.alive():
            break
        host.end()
    else:
        host = ForkedHost(key, python, more, imported)
    host.imports = wanted
    return host


def ending_host(python: Path, more: Mapping[str, str], wanted: Names) -> ForkedHost:
    """A new one that ends with its command."""
    key = doctors_key(python, more)
    imported = REAL.take(key, lambda: imports(key))
    host = ForkedHost(key, python, more, imported)
    host.imports, host.stays = wanted, False
    return host


def close() -> None:
    """End all that are kept."""
    with suppress(OSError):
        REAL.close()
