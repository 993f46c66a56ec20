"""Changes of a tokenizer that a script loads, and that its trainer does not get."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.assigned import assigned
from trl_doctor.facts.script.syntax.code import Code, code
from trl_doctor.files.source.names import last_name

LOADERS = ("AutoTokenizer", "AutoProcessor")
ADDS = ("add_tokens", "add_special_tokens")
SETS = {"chat_template": "chat_template_path", "eos_token": "eos_token"}
"""What a script sets on a tokenizer, and the argument of TRL's configs that sets it, too."""

UNUSED = frozenset({"pad_token"})
"""Special tokens that are in no row."""

POSITIONS = 5
"""Arguments of a trainer's class before the one that takes the tokenizer, in any of them."""

ONLY_READ = ("len", "print", "repr", "str", "type")
"""Functions that do no more with a tokenizer than read it."""

READS = ("get_vocab", "convert_tokens_to_ids", "convert_ids_to_tokens", "decode", "batch_decode")
"""Methods that leave no tokens in the rows."""


class LostChange(Struct, frozen=True):
    """`change` is made to the tokenizer `name`, and the trainer gets `instead`, "" for none.

    `sets` is the attribute that it sets; "" if it adds tokens.
    """

    name: str
    change: str
    sets: str
    instead: str
    place: Place

    @property
    def adds(self) -> bool:
        """Whether it adds tokens."""
        return not self.sets


def lost_changes(facts: Facts) -> list[LostChange]:
    """Those of tokenizers that the script only loads and changes. Raises as `code` does."""
    parsed = facts[code]
    calls = [node for node in parsed.nodes if isinstance(node, ast.Call)]
    trainers = [call for call in calls if last_name(call.func).endswith("Trainer")]
    trainers = [call for call in trainers if call.keywords or call.args]
    if not trainers or any(map(_open, trainers)):
        return []
    instead = {ast.unparse(value) for call in trainers for value in _given(call)}
    above = {id(child): node for node in parsed.nodes for child in ast.iter_child_nodes(node)}
    uses: dict[str, list[ast.Name]] = {name: [] for name in sorted(_loaded(parsed.whole))}
    for node in parsed.nodes:
        if isinstance(node, ast.Name) and node.id in uses and isinstance(node.ctx, ast.Load):
            uses[node.id].append(node)
    return [
        change
        for name in uses
        for change in _lost(parsed, uses[name], above, min(instead, default=""))
        if change.adds or not facts.run.arguments.get(SETS[change.sets])
    ]


def _open(trainer: ast.Call) -> bool:
    """Whether a call may give the trainer a tokenizer that cannot be seen."""
    return len(trainer.args) > POSITIONS or any(word.arg is None for word in trainer.keywords)


def _given(trainer: ast.Call) -> Iterator[ast.expr]:
    """The tokenizer that a call of a trainer's class gets."""
    yield from (
        word.value for word in trainer.keywords if word.arg in ("processing_class", "tokenizer")
    )


def _loaded(tree: ast.Module) -> set[str]:
    """The names that only ever hold a tokenizer as it is loaded."""
    given = list(assigned(ast.walk(tree)))
    other = {name for name, value in given if not _loads(value)}
    return {name for name, _ in given} - other


def _loads(value: ast.expr) -> bool:
    """Whether an expression is `AutoTokenizer.from_pretrained(…)`."""
    function = value.func if isinstance(value, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "from_pretrained"
        and last_name(function.value) in LOADERS
    )


def _lost(
    parsed: Code, uses: list[ast.Name], above: dict[int, ast.AST], instead: str
) -> Iterator[LostChange]:
    """The changes of one tokenizer, by its uses; none where anything else may get it.

    `above` are the nodes that other nodes are in.
    """
    changes: list[tuple[str, str, ast.expr]] = []
    read = set[str]()
    for node in uses:
        around = above[id(node)]
        if isinstance(around, ast.Attribute):
            outer = above[id(around)]
            method = _is_called(around, outer)
            if method and around.attr in ADDS:
                changes += [] if _adds_unused(outer) else [(f"{around.attr}(…)", "", around)]
            elif isinstance(around.ctx, ast.Store) and around.attr in SETS:
                changes.append((f"{around.attr} = …", around.attr, around))
            elif method and around.attr not in READS:
                return
            elif not _sets_pad(outer):
                read.add(around.attr)
        elif not (isinstance(around, ast.Call) and last_name(around.func) in ONLY_READ):
            return
    for change, sets, where in changes:
        if sets not in read:
            name = uses[0].id
            yield LostChange(name, f"{name}.{change}", sets, instead, parsed.place(where))


def _adds_unused(call: ast.AST) -> bool:
    """Whether a call adds nothing but tokens that are in no row: `{"pad_token": "[PAD]"}`."""
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    keys = given.keys if isinstance(given, ast.Dict) else []
    names = {key.value for key in keys if isinstance(key, ast.Constant)}
    return bool(keys) and len(names) == len(keys) and names <= UNUSED


def _sets_pad(statement: ast.AST) -> bool:
    """Whether it is `tok.pad_token = …`."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    return isinstance(target, ast.Attribute) and target.attr in UNUSED


def _is_called(node: ast.Attribute, around: ast.AST) -> bool:
    return isinstance(around, ast.Call) and around.func is node
