"""Scripts and launch files that are damaged or generated: a clear outcome, never a crash."""

from __future__ import annotations

import json
import random
from pathlib import Path

from test_launch_files import DOCKERFILE, MAKEFILE, SBATCH
from test_script_mistakes import IMPORTS, MISTAKES
from test_script_shapes import ARGPARSE, BRANCHES, CLASSES, DATACLASS, PARSER

from trl_doctor.checkup import scripts
from trl_doctor.files.document import Unreadable
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.launch import forms
from trl_doctor.files.launch import reading as launching
from trl_doctor.files.source.reading import read_source
from trl_doctor.machine.environment import environment

WORLD = environment(None, ["trl==1.16.0"], installed=False)
SHAPES = [
    ARGPARSE,
    DATACLASS,
    PARSER,
    CLASSES,
    BRANCHES,
    *(IMPORTS + mistake[1] for mistake in MISTAKES),
]
PARTS = (
    "()", "[", "]", "{**x}", "*args", "lambda: 1", "x", "None", "1e400", "-1", "f'{x!r:>10}'",
    "0x10", "x.y.z", "x[1:2]", "yield", "await y", "(y := 2)", "'a' % b", "not x", "9**9", "...",
)  # fmt: skip
LINES = (
    "x = x", "def f(x): return f(x)", "f(1)", "class A(A): pass", "while True: x = 1",
    "for x in x: break", "try:\n    x\nexcept: raise", "with x as (y, z): pass", "del x",
    "x += x", "x, *y = x", "globals()['x'] = 1", "import x.y as x", "from x import *",
    "match x:\n    case 1: x = 2", "async def g(): await g()", "x: int = 1", "x['a'] = x",
    "setattr(x, 'a', x)", "x.append(x)", "x = [x]", "x = {'a': x}", "lambda: x", "nonlocal_ = 1",
)  # fmt: skip


def test_generated_scripts_are_read_to_an_end(tmp_path: Path) -> None:
    chance = random.Random(20)
    for _ in range(600):
        lines = chance.choice(SHAPES).split("\n")
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(lines))
            kind = chance.randrange(4)
            if kind == 0:
                lines.insert(at, chance.choice(LINES))
            elif kind == 1:
                del lines[at]
            elif kind == 2 and "=" in lines[at]:
                lines[at] = lines[at].partition("=")[0] + "=" + chance.choice(PARTS)
            else:
                lines[at] = lines[at].replace("(", chance.choice(("(*x, ", "(**x, ", "(1, ", "((")))
        data = "\n".join(lines).encode()
        try:
            read_source(tmp_path / "t.py", data)
            script = scripts._parsed(tmp_path / "t.py", data, scripts.Start(), WORLD)
            for number in range(len(script.uses)):
                target = scripts.Target("t.py", "script", tmp_path / "t.py", "", number=number)
                scripts._script(target, tmp_path / "t.py", data, WORLD)
        except (Invalid, Unreadable):
            continue


def test_damaged_notebooks_are_read_to_an_end(tmp_path: Path) -> None:
    chance = random.Random(21)
    cells = [
        {"cell_type": "code", "source": shape.splitlines(keepends=True)} for shape in SHAPES[:3]
    ]
    whole = json.dumps({"cells": cells})
    for _ in range(300):
        at, end = sorted(chance.randrange(len(whole)) for _ in range(2))
        data = (whole[:at] + chance.choice(("", "\x00", "[", '"', "null")) + whole[end:]).encode()
        try:
            read_source(tmp_path / "n.ipynb", data)
        except Invalid:
            continue


def test_damaged_launch_files_are_read_to_an_end(tmp_path: Path) -> None:
    chance = random.Random(22)
    for _ in range(600):
        name, text = chance.choice(
            (("job.sbatch", SBATCH), ("Makefile", MAKEFILE), ("Dockerfile", DOCKERFILE))
        )
        for _ in range(chance.randrange(1, 8)):
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice("'\"$(){}`\\<>|&;#\n ") + text[at + 1 :]
        path = Path(tmp_path / name)
        launching.read_launches(path, text.encode(), forms.form(path, text.encode()))
