"""Random scripts give a training the same words as bash gives it."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from trl_doctor.files.launch import reading

NAMES, VALUES = "ABC", ("1", "2", "x", "xy", "")
TESTS = (
    '[ "${n}" = "{v}" ]', "[[ ${n} == x{v}* ]]", '[ -z "${n}" ]', "[[ -n ${n} ]]", "true", "false",
    '[ "${{{n}:-2}}" != "{v}" ]', '! [ "${n}" = x ]', "[ -f nothing ]", 'test -n "${n}"',
)  # fmt: skip
SETS = ('{n}="{v}"', "{n}=${m}", 'L+=(--{n} "${m}")', "L=(--z x{v})", '{n}="${{{n}}}{v}"',
        "export {n}={v}")  # fmt: skip
FORMS = (
    "if {t}; then\n{b}\nelif {t}; then\n{b}\nelse\n{b}\nfi",
    "if {t}; then\n{b}\nfi",
    "if {t}; then {s}; else {s}; fi",
    'case "$A" in\n  1|x) {s} ;;\n  x*)\n {b}\n  ;;\n  *) {s} ;;\nesac',
    "{t} && {s}",
    "{t} || {s}",
    "{t} && {s} || {s}",
    "( {s}; {s} )",
    "{s}",
    "{s}",
)
BASH = shutil.which("bash")


class Script:
    """A random script."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def one_of(self, forms: tuple[str, ...]) -> str:
        """A test or an assignment, with names and values."""
        n, m = self.random.choice(NAMES), self.random.choice(NAMES)
        return self.random.choice(forms).format(n=n, m=m, v=self.random.choice(VALUES))

    def block(self, depth: int) -> str:
        """Some commands; below a depth only plain ones."""
        makers = {
            "{t}": lambda: self.one_of(TESTS),
            "{s}": lambda: self.one_of(SETS),
            "{b}": lambda: self.block(depth - 1),
        }
        forms = FORMS if depth else FORMS[-2:]
        chosen = "\n".join(self.random.choice(forms) for _ in range(self.random.randint(1, 3)))
        pieces = re.split(r"(\{[tsb]\})", chosen)
        return "".join(makers[piece]() if piece in makers else piece for piece in pieces)


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
def test_the_words_are_those_of_bash(tmp_path: Path) -> None:
    for seed in range(120):
        head, body = "A=1\nB=x\nC=2\nL=(--q)\n", Script(seed).block(2)
        text = f'{head}{body}\npython train.py "$A" "$B" "${{L[@]}}"\n'
        shown = "python() { printf '%s\\n' \"${@:2}\"; }\n" + text
        done = subprocess.run(
            [str(BASH), "-c", shown], capture_output=True, text=True, cwd=tmp_path, check=True
        )
        (launch,) = reading.read_launches(tmp_path / "a.sh", text.encode(), "a shell script")
        read = [word.text for word in launch.words if not word.open]
        assert read == done.stdout.split("\n")[:-1], body
