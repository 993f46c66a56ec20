"""The program: it imports the command line while no garbage is collected."""

from __future__ import annotations

import gc
from typing import Any, NoReturn


def run(**options: Any) -> NoReturn:
    """The command line as a process of its own; a command that is no check collects garbage."""
    gc.disable()  # modules are no garbage: to look for some in them takes a tenth of a check
    from trl_doctor.commands import cli

    cli.run(**options)
