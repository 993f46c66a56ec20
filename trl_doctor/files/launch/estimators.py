"""The scripts that estimators of SageMaker (`entry_point=…`) and jobs of Vertex start."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from trl_doctor.files.launch.shell.variables import Word

FOLDERS = ("source_dir", "code", "cwd", "working_dir")
"""Keywords with the folder in which a command starts: also of Azure ML, subprocess and Ray."""

VERTEX = "script_path"
"""The keyword of Vertex with the script of a job, which has its options in `args`."""

SPREAD = ("distribution", "distributed")
"""Keywords with how the script is started on each GPU."""

Given = Mapping[str, ast.expr]
OneWord = Callable[[ast.expr], Sequence[Word]]


def command(given: Given, one: OneWord) -> list[Word]:
    """The words that start an estimator's script with its hyperparameters; nothing for others.

    `one` reads an expression as a word.
    """
    if VERTEX in given and isinstance(given.get("args"), ast.List):
        return _of_vertex(given[VERTEX], given["args"], one)
    script = given.get("entry_point") or _source(given).get("entry_script")
    if script is None or not (words := [*one(script)]) or not words[0].text.endswith(".py"):
        return []
    return [*_starter(given, words[0]), *words, *_options(given.get("hyperparameters"), one)]


def _of_vertex(script: ast.expr, options: ast.expr, one: OneWord) -> list[Word]:
    """The words that start the script of a job of Vertex."""
    words = [*one(script)]
    if not words[0].text.endswith(".py"):
        return []
    head = Word("python", words[0].line, words[0].column, bare=False)
    listed = options.elts if isinstance(options, ast.List) else []
    return [head, *words, *(word for item in listed for word in one(item))]


def folder(given: Given) -> ast.expr | None:
    """The folder in which the command starts, where a keyword names it."""
    places = {**_source(given), **given}
    return next((places[name] for name in FOLDERS if name in places), None)


def _source(given: Given) -> Given:
    """The keywords of `source_code=SourceCode(…)`."""
    source = given.get("source_code")
    if not isinstance(source, ast.Call):
        return {}
    return {word.arg: word.value for word in source.keywords if word.arg}


def _starter(given: Given, script: Word) -> Iterator[Word]:
    """One process, or one on each GPU of the instance."""
    at = script.line, script.column
    if not any(name in given for name in SPREAD):
        yield Word("python", *at, bare=False)
        return
    yield Word("torchrun", *at, bare=False)
    yield Word("--nproc_per_node", *at, bare=False)
    yield Word("", *at, "the instance gives it", bare=False)


def _options(values: ast.expr | None, one: OneWord) -> Iterator[Word]:
    """`--name value` for each hyperparameter; if not all are known, a word that may be others."""
    if values is None:
        return
    if not isinstance(values, ast.Dict):
        yield Word("", values.lineno, values.col_offset + 1, "the program gives it", bare=False)
        return
    for key, value in zip(values.keys, values.values, strict=True):
        if not isinstance(key, ast.Constant):
            yield Word("", value.lineno, value.col_offset + 1, "the program gives it", bare=False)
            continue
        yield Word(f"--{key.value!s}", key.lineno, key.col_offset + 1, bare=False)
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            yield Word(str(value.value), value.lineno, value.col_offset + 1, bare=False)
        else:
            yield from one(value)
