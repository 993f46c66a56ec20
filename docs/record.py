"""Records what a command really prints as docs/demo.svg, the picture that opens README.

    python docs/record.py --python PY     # an interpreter with TRL; see environments/

The broken candidate of `fixtures/` is examined, a copy is repaired, and the copy is examined.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
WIDTH = 104
DOCTOR = str(Path(sys.executable).with_name("trl-doctor"))


def recorded(python: str) -> str:
    """The three commands and their output, with the colours as ANSI codes."""
    with tempfile.TemporaryDirectory() as name:
        copy = f"{name}/repaired"
        real = ["--python", python]
        steps = [
            (["check", "fixtures/broken-grpo.json"], real),
            (["check", "fixtures/broken-grpo.json", "--fix-to", copy, "--quiet"], real),
            (["check", f"{copy}/broken-grpo.json", "--quiet"], real),
        ]
        parts = [_step(shown, hidden) for shown, hidden in steps]
    text = "\n".join(parts).replace(name, "").replace(python, "python")
    return text.replace("/repaired", "repaired")


def _step(shown: list[str], hidden: list[str]) -> str:
    process = subprocess.run(
        [DOCTOR, *shown, *hidden, "--color=always"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": str(WIDTH)},
        check=False,
    )
    return f"\x1b[1m$ trl-doctor {' '.join(shown)}\x1b[0m\n{process.stderr}{process.stdout}"


def picture(text: str) -> str:
    """The SVG of a terminal with this text."""
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"))  # noqa: PTH123, SIM115
    console.print(Text.from_ansi(text))
    svg = console.export_svg(title="trl-doctor", unique_id="trl-doctor")
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", required=True, help="an interpreter with trl and torch")
    options = parser.parse_args()
    (ROOT / "docs" / "demo.svg").write_text(picture(recorded(options.python)), encoding="utf-8")


if __name__ == "__main__":
    main()
