"""The process in the target interpreter that imports the libraries and forks the probes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[1] / "probes" / "host.py"

QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TQDM_DISABLE": "1",
    "WANDB_MODE": "disabled",
    "TRACKIO_DISABLED": "1",
    "CI": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONFAULTHANDLER": "1",
    "PYTHONUNBUFFERED": "1",
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    "NCCL_SOCKET_IFNAME": "lo",
    "GLOO_SOCKET_IFNAME": "lo",
}
"""No network, no telemetry, no trackers, no bars; CUDA is not touched before a probe asks."""

LAUNCHERS = (
    "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
    "ACCELERATE_USE_DEEPSPEED", "ACCELERATE_USE_FSDP", "ACCELERATE_MIXED_PRECISION",
)  # fmt: skip
"""What a launcher sets for its workers: a probe is no worker, and would wait for the others."""


class Gone(Exception):
    """The host cannot be started, or has ended; the message says how."""


class Host:
    """A running host, its folder for the probes, and the pipes to it and from it.

    `variables` are set over this process's own environment. Raises `Gone`.
    """

    def __init__(self, python: Path, variables: Mapping[str, str]) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="trl-doctor-probes-"))
        self.closed = False
        their_in, self._in = os.pipe()
        self.events, their_out = os.pipe()
        self._rest = b""
        self.log = self.root / "host-output"
        (self.root / "home").mkdir()
        try:
            with self.log.open("wb") as output:
                self.process = subprocess.Popen(
                    [python, SCRIPT, str(their_in), str(their_out), self.root],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=(their_in, their_out),
                    start_new_session=True,
                    cwd=self.root,
                    env=self._environment(variables),
                )
        except OSError as error:
            os.close(self._in)
            os.close(self.events)
            shutil.rmtree(self.root, ignore_errors=True)
            raise Gone(f"{python} cannot be run: {error.strerror or error}") from error
        finally:
            os.close(their_in)
            os.close(their_out)

    def _environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        own = {name: text for name, text in os.environ.items() if name not in LAUNCHERS}
        return {**own, **QUIET, "HF_HOME": str(self.root / "home"), **variables}

    def send(self, **order: Any) -> None:
        """Give the host an order. Raises `Gone`."""
        try:
            data = json.dumps(order).encode() + b"\n"
            while data:
                data = data[os.write(self._in, data) :]
        except OSError as error:
            raise Gone(self.epitaph()) from error

    def read(self) -> list[dict[str, Any]]:
        """The events that have come, at least one. Raises `Gone` where the host has ended."""
        part = os.read(self.events, 1 << 16)
        if not part:
            raise Gone(self.epitaph())
        *lines, self._rest = (self._rest + part).split(b"\n")
        return [json.loads(line) for line in lines]

    def epitaph(self) -> str:
        """How the host ended, with the last line that it wrote."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        status = self.process.returncode
        said = self.tail(1)
        return ended(status) + (f": {said[0]}" if said else "")

    def tail(self, lines: int) -> tuple[str, ...]:
        """The last lines that the host wrote while it imported."""
        with suppress(OSError):
            text = self.log.read_bytes()[-20_000:].decode("utf-8", "replace")
            return tuple(line for line in text.splitlines() if line.strip())[-lines:]
        return ()

    def close(self) -> None:
        """End the host and all probes, and remove their folder. Twice is fine."""
        if self.closed:
            return
        self.closed = True
        os.close(self._in)
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        finally:
            os.close(self.events)
            shutil.rmtree(self.root, ignore_errors=True)


def ended(status: int | None) -> str:
    """An exit status as a clause: `it was killed by SIGSEGV`, `it exited with status 3`."""
    if status is None:
        return "it does not answer"
    if status >= 0:
        return f"it exited with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    if name == "SIGKILL":
        return "it was killed (SIGKILL): by the system, most likely, for want of memory"
    return f"it was killed by {name}"
