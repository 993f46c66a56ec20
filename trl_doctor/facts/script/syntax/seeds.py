"""Data sets of a script that numbers without a seed have split or shuffled."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.passed import chain, passed
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.files.source.values import LibraryObject, Plain

SEED = {"train_test_split": 4, "shuffle": 0}
"""Methods that draw numbers, and the place of their seed."""

SEEDS = re.compile(r"set_seed|seed_everything|random\.seed|full_determinism|random\.set_state")
"""What gives numpy a seed, or may do so."""

TRAINER = "Trainer"
ROWS = ("train_dataset", "eval_dataset")


def drawn_without_seed(facts: Facts) -> Iterator[tuple[str, str]]:
    """The method that draws, and the trainer's argument that gets its rows. Raises as `code` does.

    Nothing for streams, and for scripts that may have given numpy a seed.
    """
    values = passed(facts)
    for name in ROWS:
        for call in chain(values.values.get(name)):
            if call.short in SEED and _draws(call) and not _is_seeded(facts, call):
                yield call.short, name


def _draws(call: LibraryObject) -> bool:
    """Whether a method of a data set surely draws numbers without a seed."""
    links = list(chain(call))
    if any("streaming" in link.keywords for link in links) or call.rest is not None:
        return False
    ordered = call.argument("shuffle") if call.short == "train_test_split" else None
    if ordered is not None or call.argument("generator"):
        return False
    seed = call.argument("seed", SEED[call.short])
    none = seed is None or (isinstance(seed, Plain) and seed.value is None)
    return none and links[-1].of.startswith("datasets.")


def _is_seeded(facts: Facts, call: LibraryObject) -> bool:
    """Whether the script may have given numpy a seed: itself, or by an earlier trainer."""
    return any(
        SEEDS.search(name := ast.unparse(node.func))
        or ((number, node.lineno) < (call.span.source, call.span.line) and name.endswith(TRAINER))
        for number, part in enumerate(facts[code].parts)
        for node in ast.walk(part)
        if isinstance(node, ast.Call)
    )
