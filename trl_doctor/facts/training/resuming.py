"""The checkpoint that a run names to go on from."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.surroundings import below_roots, output_dir
from trl_doctor.files.regular import text_of
from trl_doctor.files.source.names import last_name

LOOPS = ast.For | ast.While | ast.AsyncFor
KEY = "resume_from_checkpoint"


def is_named(facts: Facts) -> bool:
    """Whether the arguments name a checkpoint, or ask for the newest one."""
    return str(facts.run.arguments.get(KEY)).lower() not in ("false", "none", "")


def named_folder(facts: Facts) -> Path | None:
    """Its folder, which need not be there; None if the newest one is asked for and none is."""
    folder = str(facts.run.arguments.get(KEY))
    return newest(output_dir(facts)) if folder.lower() == "true" else below_roots(facts, folder)


def perhaps_made_first(facts: Facts, folder: Path | None) -> bool:
    """Whether a checkpoint is not there yet that another training of the same script may save."""
    below = folder is None or output_dir(facts) in folder.parents
    if (folder is not None and folder.is_dir()) or not below or facts.run.script.passed is None:
        return False
    script = facts.run.place(KEY).file
    return script.suffix == ".py" and trains_again(text_of(script))


def trains_again(text: str) -> bool:
    """Whether the code calls `train` more than once, or in a loop, or a function that calls it."""
    try:
        calls = [(call, around) for call, around in _calls(ast.parse(text), ())]
    except SyntaxError:
        return False
    names, found = {"train"}, set[str]()
    while names - found:
        found |= names
        made = [around for call, around in calls if last_name(call.func) in found]
        if len(made) > len(found) or any("" in around for around in made):
            return True
        names |= {around[-1] for around in made if around}
    return False


def _calls(node: ast.AST, around: tuple[str, ...]) -> Iterator[tuple[ast.Call, tuple[str, ...]]]:
    """The calls in a part of the code, each with the functions around it; a loop has no name."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        around = (*around, node.name)
    elif isinstance(node, LOOPS):
        around = (*around, "")
    if isinstance(node, ast.Call):
        yield node, around
    for part in ast.iter_child_nodes(node):
        yield from _calls(part, around)


def newest(folder: Path) -> Path | None:
    """The newest checkpoint in a folder."""
    checkpoints = [path for path in folder.glob("checkpoint-*") if re.search(r"-\d+$", path.name)]
    return max(checkpoints, key=lambda path: int(path.name.rpartition("-")[2]), default=None)
