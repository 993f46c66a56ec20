"""Calls of methods in a script, and those whose result is thrown away."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from msgspec import Struct

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.functions.effects import has_effect
from trl_doctor.facts.functions.function_body import returned_values
from trl_doctor.facts.script.syntax.assigned import assigned
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.files.source.names import last_name, root_name

ROWS = frozenset(
    ("map", "filter", "shuffle", "select", "rename_column", "rename_columns", "remove_columns",
     "select_columns", "cast", "cast_column", "add_column", "sort", "train_test_split", "flatten",
     "with_format", "with_transform", "take", "skip", "repeat", "class_encode_column")
)  # fmt: skip
"""Methods of data sets that return a new one."""

MADE = ("load_dataset", "load_from_disk", "from_list", "from_dict", "from_pandas", "from_generator",
        "from_json", "from_csv", "concatenate_datasets", "interleave_datasets")  # fmt: skip
MERGES = ("merge_and_unload",)
SAVES = ("save_pretrained", "save_model", "push_to_hub")
LOADERS = ("from_pretrained", "get_peft_model")
TABLE = frozenset(
    ("apply", "map", "replace", "dropna", "drop_duplicates", "sort_values", "sort_index", "drop",
     "reset_index", "rename", "fillna", "merge", "sample", "assign", "astype", "query", "strip",
     "lower", "explode", "set_index")
)  # fmt: skip
"""Methods of a table of pandas or of its columns that return a new one."""


class Called(Struct, frozen=True):
    """A call `name.method(…)`, a statement of its own or a part of one.

    Its place is `facts[code].place(node)`: in a notebook that takes a while.
    """

    name: str
    method: str
    node: ast.Call


def discarded_rows(facts: Facts) -> list[Called]:
    """Such calls of a data set's methods, or of a table's. Raises as `code` does."""
    tree = facts[code].whole
    rows, tables = data_sets(tree), tables_of_pandas(tree)
    return [
        call
        for call in facts[calls_alone]
        if (call.method in ROWS and call.name in rows and not _for_effect(facts, call.node))
        or (
            call.method in TABLE
            and root_name(call.node) in tables
            and _only_returns(call.node, tree)
        )
    ]


def _for_effect(facts: Facts, call: ast.Call) -> bool:
    """Whether it is there for what its function does, or fills the cache for the same call."""
    functions = [
        node
        for value in (*call.args, *(word.value for word in call.keywords))
        for node in _functions(value, facts[code].whole)
    ]
    text, alone = ast.unparse(call), {id(other.node) for other in facts[calls_alone]}
    kept = (other.node for other in facts[calls_of_methods] if id(other.node) not in alone)
    return any(map(has_effect, functions)) or any(ast.unparse(node) == text for node in kept)


def _functions(value: ast.expr, tree: ast.Module) -> list[ast.FunctionDef | ast.Lambda]:
    """The function of the script that a value is, as far as its name shows it."""
    if isinstance(value, ast.Lambda):
        return [value]
    name = value.id if isinstance(value, ast.Name) else ""
    return [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name
    ]


def _only_returns(call: ast.Call, tree: ast.Module) -> bool:
    """Whether a method of a table surely does nothing but return another one."""
    if any(word.arg in ("inplace", None) for word in call.keywords):
        return False
    given = [*call.args, *(word.value for word in call.keywords)]
    return all(_computes(value, tree) for value in given)


def _computes(value: ast.expr, tree: ast.Module) -> bool:
    """Whether a function that is given to a method surely does nothing but compute a value."""
    functions = _functions(value, tree)
    if isinstance(value, ast.Name) and not functions:
        return False
    return not any(map(has_effect, functions)) and all(map(_gives_value, functions))


def _gives_value(function: ast.FunctionDef | ast.Lambda) -> bool:
    return any(value is not None for value in returned_values(function))


def discarded_merges(facts: Facts) -> list[Called]:
    """Such calls that merge an adapter, of models that are saved later. Raises as `code` does."""
    parsed = facts[code]
    saves = [call for call in facts[calls_of_methods] if call.method in SAVES]
    return [
        call
        for call in facts[calls_alone]
        if call.method in MERGES
        and any(
            f"{call.name}.".startswith(f"{saved.name}.")
            and parsed.order(saved.node) > parsed.order(call.node)
            for saved in saves
        )
    ]


def merges_never_read(facts: Facts) -> list[tuple[str, Called]]:
    """Such calls whose result gets a name that nothing reads, with it. Raises as `code` does.

    None if the script saves nothing else, or the model that the adapter is on: a merge changes that
    one, too.
    """
    nodes = facts[code].nodes
    read = {node.id for node in nodes if isinstance(node, ast.Name) and _is_read(node)}
    saved = {call.name for call in facts[calls_of_methods] if call.method in SAVES}
    if not saved or saved & _given_to_loaders(nodes):
        return []
    return [
        (name, call)
        for name, value in assigned(nodes)
        if name not in read
        for call in _called([value])
        if call.method in MERGES
    ]


def _given_to_loaders(nodes: Iterable[ast.AST]) -> set[str]:
    """The names of the models that an adapter is put on."""
    return {
        ast.unparse(value)
        for node in nodes
        if isinstance(node, ast.Call) and last_name(node.func) in LOADERS
        for value in (*node.args, *(word.value for word in node.keywords))
    }


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def calls_of_methods(facts: Facts) -> list[Called]:
    """All calls of methods in the code. Raises as `code` does."""
    return list(_called(facts[code].nodes))


def calls_alone(facts: Facts) -> list[Called]:
    """Those calls that are a statement of their own. Raises as `code` does.

    The last one of a cell is left out: a notebook shows its result.
    """
    parsed = facts[code]
    shown = {id(part.body[-1]) for part in parsed.parts if parsed.notebook and part.body}
    alone = [
        node.value for node in parsed.nodes if isinstance(node, ast.Expr) and id(node) not in shown
    ]
    return list(_called(alone))


def _called(nodes: Iterable[ast.AST]) -> Iterator[Called]:
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield Called(ast.unparse(node.func.value), node.func.attr, node)


def data_sets(parsed: ast.Module) -> set[str]:
    """The names that hold a data set and nothing else, as far as assignments show it."""
    given = list(assigned(ast.walk(parsed)))
    names: set[str] = set()
    for _ in range(2):  # a name may be used in a function before the line that gives it a value
        names |= {name for name, value in given if gives_rows(value, names)}
    return names - {name for name, value in given if not gives_rows(value, names)}


def tables_of_pandas(parsed: ast.Module) -> set[str]:
    """The names that hold a table of pandas, as far as assignments show it."""
    return {name for name, value in assigned(ast.walk(parsed)) if _makes_table(value)}


def _makes_table(value: ast.expr) -> bool:
    called = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    owner, _, method = called.rpartition(".")
    reads = owner in ("pd", "pandas") and (method.startswith("read_") or method == "DataFrame")
    return reads or method == "to_pandas"


def gives_rows(value: ast.expr, data_sets: set[str]) -> bool:
    """Whether an expression is a data set: made here, or derived from one by its methods."""
    while True:
        if isinstance(value, ast.Subscript):
            value = value.value
        elif isinstance(value, ast.Call):
            function = value.func
            name = last_name(function)
            if name in MADE:
                return True
            if not isinstance(function, ast.Attribute) or name not in ROWS:
                return False
            value = function.value
        else:
            return isinstance(value, ast.Name) and value.id in data_sets
