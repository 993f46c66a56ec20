"""What a run finds on this machine: disks, shared memory, ports, variables and logins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.regular import text_of

SHARED = Path("/dev/shm")
SECONDS = 2.0
"""How long a program on this machine may take to accept a connection."""
ANSWER = 10.0
"""How long it may take to answer: a busy server is not taken for another program."""
NETRC = ("NETRC", "~/.netrc", "~/_netrc")


class Surroundings(Struct, frozen=True):
    """This machine; given values are used instead of the real ones (for examples of rules).

    `free` are the bytes that are free on every disk, `shared` those of shared memory, `listening`
    is the server at a port: "vllm", "http", "silent" or "other". `variables` are those of the
    environment.
    `withheld` is the reason why the Hub refuses a model, by the model's name. `logged_in` are the
    services, "hub" and "wandb", that the run's own code logs in to.
    """

    free: int | None = None
    shared: int | None = None
    listening: Mapping[int, str] | None = None
    variables: Mapping[str, str] | None = None
    withheld: Mapping[str, str] = field(default_factory=dict)
    logged_in: frozenset[str] = frozenset()

    def variable(self, name: str) -> str:
        """A variable of the environment; "" if it is not set."""
        return (os.environ if self.variables is None else self.variables).get(name, "")

    def free_at(self, path: Path) -> int:
        """The bytes that are left on the disk of a path. Raises `Unavailable`."""
        if self.free is not None:
            return self.free
        import shutil

        try:
            return shutil.disk_usage(nearest_existing(path)).free
        except OSError as error:
            raise Unavailable(f"the disk of {path} cannot be examined: {error.strerror}") from error

    def refuses(self, folder: Path) -> str:
        """Why a folder can be neither created nor written to, as a clause; "" if it can."""
        existing = nearest_existing(folder)
        if not existing.is_dir():
            return f"{existing} is a file"
        return "" if os.access(existing, os.W_OK | os.X_OK) else f"{existing} cannot be written to"

    def shared_memory(self) -> int:
        """The bytes that are free in /dev/shm. Raises `Unavailable`."""
        if self.shared is None and not SHARED.is_dir():
            raise Unavailable("there is no /dev/shm here")
        return self.shared if self.shared is not None else self.free_at(SHARED)

    def listener(self, port: int) -> str:
        """What answers at a port of this machine; "" for nothing."""
        if self.listening is not None:
            return self.listening.get(port, "")
        import socket

        try:
            socket.create_connection(("localhost", port), SECONDS).close()
        except (OSError, OverflowError):
            return ""
        return _kind_of_server(port)

    def hub_login(self) -> bool:
        """Whether there is a token of the Hugging Face Hub. It is not sent anywhere."""
        if "hub" in self.logged_in:
            return True
        if self.variables is not None:
            return bool(self.variables.get("HF_TOKEN"))
        from huggingface_hub import get_token

        return bool(get_token())

    def with_logins(self, services: Iterable[str]) -> Surroundings:
        """The same machine where the run's own code logs in to these services."""
        return replace(self, logged_in=self.logged_in.union(services))

    def netrc_names(self, host: str) -> bool:
        """Whether the user's netrc file names a host."""
        if self.variables is not None:
            return False
        for place in NETRC:
            name = os.environ.get(place, "") if place == "NETRC" else place
            try:
                if name and host in text_of(Path(name).expanduser(), "replace"):
                    return True
            except (OSError, RuntimeError):
                continue
        return False


def nearest_existing(path: Path) -> Path:
    """The path itself, or the nearest folder above it that is there."""
    while not os.path.lexists(path) and path != path.parent:
        path = path.parent
    return path


def _kind_of_server(port: int) -> str:
    """The kind of server at a port: a vLLM server answers 200 at /health."""
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection("localhost", port, timeout=ANSWER)
    try:
        connection.request("GET", "/health")
        return "vllm" if connection.getresponse().status == 200 else "http"
    except TimeoutError:
        return "silent"
    except (OSError, HTTPException):
        return "other"
    finally:
        connection.close()
