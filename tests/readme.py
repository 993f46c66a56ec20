"""The parts of README and docs that show what the program does: generated, so that they are true.

`python tests/readme.py` writes them anew; a test holds the pages to them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
TRAINERS = ("grpo", "rloo", "ppo", "sft", "dpo", "kto", "reward")
ONLY = {"ppo": ", for trl up to 1.12.0: newer releases have no PPOTrainer"}
SCREEN = ["check", "fixtures/broken-grpo.json", "--with=trl==0.15.2", "--with=transformers==4.48.3"]


def screen() -> str:
    """What the command prints about the broken candidate of the demo."""
    shown = " ".join(SCREEN).replace("--with=", "--with ")
    return f"    $ trl-doctor {shown}\n\n{_indented(_printed(SCREEN))}"


def runs() -> str:
    """A run file for each trainer."""
    parts = []
    for name in TRAINERS:
        text = (ROOT / "fixtures" / f"{name}.yaml").read_text()
        parts.append(f"`fixtures/{name}.yaml`{ONLY.get(name, '')}\n\n```yaml\n{text}```")
    return "A run file for each trainer:\n\n" + "\n\n".join(parts)


PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": {"screen": screen},
    "docs/targets.md": {"runs": runs},
}
"""The generated parts by page."""


def page_text(page: str) -> str:
    """The page with its generated parts as they are now."""
    text = (ROOT / page).read_text()
    for name, part in PARTS[page].items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        assert pattern.search(text), f"{page} has no part {name}"
        content = f"{begin}\n\n{part()}\n\n{end}"
        text = pattern.sub(lambda _, content=content: content, text)
    return text


def _printed(arguments: list[str]) -> str:
    command = [str(Path(sys.executable).with_name("trl-doctor")), *arguments, "--color=never"]
    process = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return re.sub(r"(\(?)/\S*/bin/python[0-9.]*", r"\1python", process.stdout).rstrip()


def _indented(text: str) -> str:
    return "\n".join(("    " + line).rstrip() for line in text.splitlines())


if __name__ == "__main__":
    for name in PARTS:
        (ROOT / name).write_text(page_text(name))
