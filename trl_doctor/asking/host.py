"""The process in the target interpreter that imports the libraries and forks the probes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from trl_doctor.asking.output import Output
from trl_doctor.asking.usage import with_variable
from trl_doctor.asking.variables import places, variables
from trl_doctor.core.process_end import ended
from trl_doctor.core.question import State

SCRIPT = Path(__file__).parents[1] / "probes" / "host.py"

PATIENCE = 3.0
"""Seconds that the host and its probes have to end."""


class Gone(Exception):
    """The host cannot be started, or has ended; the message says how and when."""

    def __init__(self, reason: str, state: State = "died") -> None:
        super().__init__(reason)
        self.state: State = state


class Host:
    """A running host, its folder for the probes, and the pipes to and from it.

    `more` are variables that override this process's own. `imports` are imported once, for all
    probes. The host answers questions when it is `ready`. Raises `Gone`.
    """

    def __init__(self, python: Path, more: Mapping[str, str], imports: tuple[str, ...]) -> None:
        self.python, self.imports = python, imports
        self.begun, self.ready, self.importing = time.monotonic(), False, ""
        self.served = 0
        self.root = Path(tempfile.mkdtemp(prefix="trl-doctor-probes-"))
        self._rest = b""
        self._open: list[int] = []
        try:
            self.output = Output(self.root / "output")
            self._open.append(self.output.end)
            self._start(more)
        except BaseException as error:
            self._forget()
            if isinstance(error, (OSError, ValueError)):
                reason = getattr(error, "strerror", None) or error
                raise Gone(f"{python} cannot be run: {reason}") from error
            raise

    def _start(self, more: Mapping[str, str]) -> None:
        (self.root / "home").mkdir()
        folder_variables = places(self.root)
        their_in, self._in = os.pipe()
        self.events, their_out = os.pipe()
        output = os.open(self.root / "output", os.O_WRONLY)
        self._open += [self._in, self.events]
        try:
            self.process = subprocess.Popen(
                [self.python, SCRIPT, str(their_in), str(their_out), self.root, *self.imports],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(their_in, their_out),
                start_new_session=True,
                cwd=self.root,
                env=variables(os.environ, {**folder_variables, **more}),
            )
        finally:
            for end in (their_in, their_out, output):
                os.close(end)

    def send(self, **order: Any) -> None:
        """Give the host an order. Raises `Gone`."""
        self.served += "ask" in order
        try:
            os.write(self._in, json.dumps(order).encode() + b"\n")
        except OSError as error:
            raise self._epitaph() from error

    def read_events(self) -> list[dict[str, Any]]:
        """The new events of probes. Raises `Gone` if the host has ended."""
        data = os.read(self.events, 1 << 16)
        if not data:
            raise self._epitaph()
        *lines, self._rest = (self._rest + data).split(b"\n")
        return list(self._of_probes(lines))

    def _of_probes(self, lines: list[bytes]) -> Iterator[dict[str, Any]]:
        for line in lines:
            event = json.loads(line)
            if "gone" in event:
                raise self._gone(event["gone"])
            if "importing" in event:
                self.importing = event["importing"].replace(":", ".")
            elif "ready" in event:
                self.ready = True
            else:
                yield event

    def hurry(self, seconds: float) -> None:
        """Raises `Gone` if the host is not ready after this many seconds."""
        if self.ready or time.monotonic() - self.begun <= seconds:
            return
        doing = f"importing {self.importing}" if self.importing else f"starting {self.python}"
        raise Gone(f"{doing} took more than {seconds:g} s (--timeout)", "timed out")

    def _epitaph(self) -> Gone:
        """How a host ended without a message."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        return self._gone(self.process.returncode)

    def _gone(self, status: int | None) -> Gone:
        self.output.read()
        last_lines = self.output.tail(1)
        last = f": {last_lines[0]}" if last_lines and status is not None and status >= 0 else ""
        if self.ready:
            return Gone(f"the process that runs the probes is gone: {ended(status)}{last}")
        if self.importing:
            return Gone(f"importing {self.importing} ends the process: {ended(status)}{last}")
        return Gone(f"{self.python} does not run the probes: {ended(status)}{last}")

    def close(self) -> None:
        """End the host and all probes, and remove their folder."""
        os.close(self._in)
        self._open.remove(self._in)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pass
        finally:
            if self.process.poll() is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
            if self.process.returncode < 0:
                _end_orphans(self.root)
            self._forget()

    def _forget(self) -> None:
        """Close the pipes and remove the folder."""
        for end in self._open:
            os.close(end)
        self._open.clear()
        remove(self.root)


def _end_orphans(root: Path) -> None:
    """Kill what the probes of a host have started, where its guard can no longer do that.

    A daemon is not below the host any more: it is known by the folder in its variables (Linux).
    """
    for _ in range(5):
        launched = with_variable(str(root))
        for process in launched:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        if not launched:
            return


def remove(folder: Path) -> None:
    """Remove a folder, also one that forbids it or is too deep for Python."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            subprocess.run([*command, "--", folder], capture_output=True)
