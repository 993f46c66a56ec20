"""The checkpoint that a run names to go on from."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Json, Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.surroundings import below_roots, output_dir
from trl_doctor.files.regular import text_of
from trl_doctor.files.source.names import last_name
from trl_doctor.files.source.values import Plain

LOOPS = ast.For | ast.While | ast.AsyncFor
KEY = "resume_from_checkpoint"
MAKES = re.compile(
    r"\b(?:copytree|copyfile|copy2|snapshot_download|hf_hub_download|unpack_archive|extractall"
    r"|download_\w+|subprocess|os\.system|symlink\w*|rename|save_state|_save_checkpoint)\b"
)
"""Calls that may put a checkpoint there."""


def stated(facts: Facts) -> Json:
    """The checkpoint of the arguments, or that with which the script surely calls `train`.

    True asks for the newest one; None where nothing is stated, or where a script that has it in its
    arguments calls `train` with another value, or only on a condition.
    """
    written, passed = facts.run.arguments.get(KEY), facts.run.script.passed
    if passed is None:
        return written
    calls = list(passed.firsts("train", KEY))
    handed = [value for value, perhaps in calls if not perhaps]
    known = [value.value for value in handed if isinstance(value, Plain)]
    if written is not None:
        as_written = not calls or known == [written] or (handed and _hands_on(facts))
        return written if as_written else None
    value = known[0] if len(known) == len(handed) == 1 else None
    return value if isinstance(value, str | bool) else None


def _hands_on(facts: Facts) -> bool:
    """Whether the script calls `train` with the argument of its config."""
    parsed = facts.get(code)
    calls = [node for node in parsed.nodes if isinstance(node, ast.Call)] if parsed else []
    given = [value for call in calls if last_name(call.func) == "train"
             for value in (*call.args, *(word.value for word in call.keywords))]  # fmt: skip
    return any(isinstance(value, ast.Attribute) and value.attr == KEY for value in given)


def place_stated(facts: Facts) -> Place:
    """Where the checkpoint is stated: in the arguments, or in the script's call of `train`."""
    parsed = facts.get(code) if facts.run.arguments.get(KEY) is None else None
    calls = (node for node in (parsed.nodes if parsed else ()) if isinstance(node, ast.Call))
    call = next((call for call in calls if last_name(call.func) == "train"), None)
    return parsed.place(call) if parsed and call else facts.run.place(KEY)


def is_named(facts: Facts) -> bool:
    """Whether a checkpoint is stated, or the newest one asked for."""
    return str(stated(facts)).lower() not in ("false", "none", "")


def named_folder(facts: Facts) -> Path | None:
    """Its folder, which need not be there; None if the newest one is asked for and none is."""
    folder = str(stated(facts))
    return newest(output_dir(facts)) if folder.lower() == "true" else below_roots(facts, folder)


def perhaps_made_first(facts: Facts, folder: Path | None) -> bool:
    """Whether a checkpoint is not there yet that the script itself may make before: in another
    training, or by copying one."""
    below = folder is None or output_dir(facts) in folder.parents
    if (folder is not None and folder.is_dir()) or not below or facts.run.script.passed is None:
        return False
    script = facts.run.place(KEY).file
    text = text_of(script) if script.suffix == ".py" else ""
    return trains_again(text) or MAKES.search(text) is not None


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
