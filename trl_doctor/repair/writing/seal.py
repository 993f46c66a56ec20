"""The seal that tells this user's own records from those that came with a download."""

from __future__ import annotations

import os
from pathlib import Path

from trl_doctor.core.own_folders import NoHome, own_folder, remedy
from trl_doctor.repair.writing.directory import Directory, WriteRefused, opened

KEY = "key"
KEY_SIZE = 32


def state_folder() -> Path:
    """Where the key is kept: `$XDG_STATE_HOME/trl-doctor`, else `~/.local/state/trl-doctor`."""
    try:
        return own_folder("state")
    except NoHome as error:
        raise WriteRefused(Path("~"), f"is no folder ({error})") from error


def sealed(content: bytes) -> bytes:
    """The content with this user's seal in front; the key is made on first use.

    WriteRefused where the key can be neither read nor kept.
    """
    return _seal(_key() or _new_key(), content) + b"\n" + content


def unsealed(content: bytes) -> bytes | None:
    """The content without its seal, None if the seal is not this user's."""
    import hmac

    seal, _, rest = content.partition(b"\n")
    key = _key()
    return rest if key is not None and hmac.compare_digest(seal, _seal(key, rest)) else None


def _seal(key: bytes, content: bytes) -> bytes:
    import hmac

    return hmac.digest(key, content, "sha256").hex().encode()


def _key() -> bytes | None:
    try:
        with opened(Path(os.path.realpath(state_folder()))) as directory:
            return _read(directory)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(error) from error


def _read(directory: Directory) -> bytes | None:
    key = directory.read(KEY, most=1024)
    if key is not None and len(key) != KEY_SIZE:
        raise WriteRefused(directory.path / KEY, f"is not a key of {KEY_SIZE} bytes; delete it")
    return key


def _new_key() -> bytes:
    """Make the key; of two processes that do so at once, both get the first one's."""
    try:
        folder = Path(os.path.realpath(state_folder()))
        folder.mkdir(0o700, parents=True, exist_ok=True)
        with opened(folder) as directory, directory.locked("lock", wait=True):
            if key := _read(directory):
                return key
            directory.remove("new")
            directory.create("new", key := os.urandom(KEY_SIZE), mode=0o600)
            directory.rename("new", directory, KEY)
            directory.sync()
            return key
    except OSError as error:
        raise _unusable(error) from error


def _unusable(error: OSError) -> WriteRefused:
    return WriteRefused(
        state_folder(),
        f"cannot keep the key that seals what undo needs ({error}); {remedy('state')}",
    )
