"""Standard output and standard error, which may be closed or full."""

from __future__ import annotations

import atexit
import errno
import os
import shlex
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import click

from trl_doctor.core.secrets import of_environment, redacted

FAILED = 3
"""The exit status where a report could not be written."""

TARGETS = (".py", ".ipynb", ".yaml", ".yml", ".json", ".sbatch", ".slurm", ".sh")
"""How the names of targets end that may stand where a command belongs."""


def to_stderr(line: str) -> None:
    """Write a line to standard error; if that fails, the line is lost."""
    with suppress(OSError):
        click.echo(redacted(line, of_environment(os.environ)), err=True)


class Ended(KeyboardInterrupt):
    """A scheduler or a shell has sent this process a signal that ends it; holds its number."""


def status_of(interrupt: KeyboardInterrupt) -> int:
    """The exit status of an interrupted command: 128 and the signal's number."""
    number = interrupt.args[0] if isinstance(interrupt, Ended) else signal.SIGINT
    return 128 + int(number)


class Program(click.Group):
    """A command line that ends with status 3 and one line if its output cannot be written.

    SIGTERM and SIGHUP end it as Ctrl-C does: what it has started and written for itself is removed.
    """

    def main(self, *arguments: Any, **options: Any) -> Any:
        _open_what_is_closed()
        _end_cleanly()
        try:
            return super().main(*arguments, **options)
        except OSError as error:
            sys.exit(_failed(error))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named; a target in its place is one of `check`."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            word = args[0]
            if not (os.path.exists(word) or Path(word).suffix in TARGETS):  # noqa: PTH110
                raise
            instead = shlex.join(("trl-doctor", "check", *args))
            hint = f"{error.message} Did you mean `{instead}`?"
            raise click.UsageError(hint, ctx) from None

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except OSError as error:  # here, for click itself takes a closed pipe for status 1
            sys.exit(_failed(error))


def leave(end: SystemExit) -> NoReturn:
    """End this process without taking apart its modules and objects, a twentieth of a check.

    What is registered for its end runs, and what was written is flushed; where that fails, or
    other threads still run, Python ends it.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        raise end from None
    if threading.active_count() > 1 or not isinstance(end.code, int | None):
        raise end
    atexit._run_exitfuncs()
    os._exit(end.code or 0)


def _end_cleanly() -> None:
    """Let SIGTERM and SIGHUP raise, once: a second one must not stop the removal."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise)


def _raise(number: int, _: object) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise Ended(number)


def _open_what_is_closed() -> None:
    """No file that is opened later may get the number of a standard stream.

    What is then written to it fails: the stand-in for standard output can only be read.
    """
    for stream in range(3):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115


def _failed(error: OSError) -> int:
    """Report that the output is lost, and keep Python's own flush at exit from repeating it."""
    why = "it is closed" if error.errno == errno.EBADF else error.strerror or error
    about = f"{error.filename}: " if error.filename else "standard output cannot be written to: "
    to_stderr(f"trl-doctor: {about}{why}")
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, number)
                os.close(nowhere)
    return FAILED
