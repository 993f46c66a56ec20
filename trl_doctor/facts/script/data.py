"""The data set that a script hands to its trainer, as far as a run file could name it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trl_doctor.facts.script.column_steps import step_of
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
    NamedValue,
    Outside,
    Plain,
    Table,
    Unknown,
    Value,
)

KEEPS = frozenset({"shuffle", "select", "train_test_split", "take", "skip", "with_format", "shard",
                   "sort", "flatten_indices"})  # fmt: skip
"""Methods of a data set that leave its columns as they are."""

FILES = frozenset({"json", "csv", "parquet", "text", "arrow"})

FROM_FILES = re.compile(r"datasets\.Dataset\.from_(json|csv|parquet)")
"""What loads files as `load_dataset` does, if it is given nothing but these:"""

FROM_DISK = re.compile(r"datasets\.((Dataset|DatasetDict)\.)?load_from_disk")
FOLDER = ("dataset_path", "dataset_dict_path")
USUAL, WORD = "train", re.compile(r"(\w+)(?:\[[^\]]*\])?$")
"""The split that is trained on if none is named; and a split, of which a part may be taken."""

PART = re.compile(r"\[(\w+)\]$")
"""What reads a folder that `save_to_disk` wrote, its first value, and which split is taken."""

SAME_ROWS = frozenset({"path_or_paths", "split", "cache_dir", "keep_in_memory", "num_proc"})


def data(argument: NamedValue | None) -> Iterator[tuple[str, NamedValue]]:
    """The keys of a run file that name the data that is trained on."""
    if argument is None or (isinstance(argument.value, Plain) and argument.value.value is None):
        return
    changed, value, split, of_columns = None, argument.value, "", False
    while isinstance(value, LibraryObject) and value.base is not None:
        step = value.short.partition("[")[0]
        changed = changed or _transformed(value)
        if part := PART.search(value.of):
            split = part[1]
        elif step == "train_test_split":
            split = ""
        if step_of(value) is not None:
            of_columns = True
        elif step not in KEEPS and "[" not in value.short:
            changed = changed or Unknown(
                f"the script changes it after loading ({step})", value.span
            )
        value = value.base
    changed = changed or _transformed(value)
    if isinstance(value, LibraryObject) and FROM_DISK.fullmatch(value.of) and not changed:
        yield from _from_disk(value, split)
        return
    if isinstance(value, LibraryObject) and loads(value):
        yield from _loaded(value, changed, of_columns, split or _split_of(value))
        return
    why = value.why if isinstance(value, Unknown) else f"{_called(value)} creates it"
    where = getattr(value, "span", None) or argument.whole
    yield "dataset_name", NamedValue(Unknown(why, where), argument.name, argument.whole)


def _transformed(rows: Value) -> Unknown | None:
    """Why rows are others when they are read; None if they are not."""
    deeds = rows.deeds if isinstance(rows, LibraryObject) else ()
    calls = (deed for deed in deeds if deed.name == "set_transform")
    return next(
        (Unknown("the script changes it after loading (set_transform)", d.span) for d in calls),
        None,
    )


def loads(call: LibraryObject) -> bool:
    """Whether a call loads rows as they are, by a name or from files."""
    if FROM_FILES.fullmatch(call.of):
        return call.rest is None and SAME_ROWS.issuperset(call.keywords)
    return call.of == "datasets.load_dataset"


def _from_disk(call: LibraryObject, split: str) -> Iterator[tuple[str, NamedValue]]:
    """The folder of a data set, as a file of rows; of one with splits the folder of the split."""
    folders = (call.argument(name) for name in FOLDER)
    folder = next((value for value in folders if value is not None), call.argument("", 0))
    if isinstance(folder, Plain) and isinstance(folder.value, str):
        file = Plain(f"{folder.value.rstrip('/')}/{split}".rstrip("/"), folder.span)
        table = _table(Plain("arrow", call.span), file, call)
        yield "datasets", NamedValue(Many([table], call.span), None, call.span)
    else:
        why = Unknown("the script chooses its data files itself", call.span)
        yield "dataset_name", NamedValue(why, None, call.span)


def _called(value: Value) -> str:
    return (
        value.of
        if isinstance(value, LibraryObject | Outside) and hasattr(value, "of")
        else "the script"
    )


def _split_of(call: LibraryObject) -> str:
    """The split that a call loads, without the part of it; "" if it names none."""
    split = call.argument("split")
    word = WORD.match(str(split.value)) if isinstance(split, Plain) else None
    return word[1] if word else ""


def _loaded(
    call: LibraryObject, changed: Unknown | None, of_columns: bool, split: str
) -> Iterator[tuple[str, NamedValue]]:
    if streaming := call.keywords.get("streaming"):
        yield "dataset_streaming", streaming
    from_files = FROM_FILES.fullmatch(call.of)
    name = Plain(from_files[1], call.span) if from_files else call.argument("path", 0)
    if changed:
        yield "dataset_name", NamedValue(changed, None, call.span)
        return
    files = call.argument("path_or_paths", 0) if from_files else call.argument("data_files")
    if isinstance(name, Plain) and name.value in FILES and files is not None:
        named = _files(files, call, split or USUAL)
        if isinstance(named, Unknown):
            yield "dataset_name", NamedValue(named, None, call.span)
        else:
            tables: list[Value] = [_table(name, file, call) for file in named]
            yield "datasets", NamedValue(Many(tables, call.span), None, call.span)
        return
    if of_columns and not _is_path(name):
        why = Unknown("the script changes its columns after loading", call.span)
        yield "dataset_name", NamedValue(why, None, call.span)
        return
    yield (
        "dataset_name",
        NamedValue(name or Unknown("no name is given", call.span), None, call.span),
    )
    if split not in ("", USUAL):
        yield "dataset_train_split", NamedValue(Plain(split, call.span), None, call.span)
    config = call.argument("name", 1)
    if config is not None:
        yield "dataset_config", NamedValue(config, None, call.span)


def _is_path(name: Value | None) -> bool:
    """Whether it is surely a folder here, and no data set of the Hub."""
    return isinstance(name, Plain) and str(name.value).startswith(("./", "../", "/", "~/"))


def _table(builder: Plain, file: Plain, call: LibraryObject) -> Table:
    """A data set of a mixture, as a run file has it."""
    return Table({"path": NamedValue(builder), "data_files": NamedValue(file)}, None, call.span)


def _files(files: Value, call: LibraryObject, split: str) -> list[Plain] | Unknown:
    """The files that are trained on, of those that `data_files` names."""
    if isinstance(files, Table):
        files = files.entries[split].value if split in files.entries else Unknown("", call.span)
    each = files.items if isinstance(files, Many) else [files]
    names = [file for file in each if isinstance(file, Plain) and isinstance(file.value, str)]
    if names and len(names) == len(each):
        return names
    return Unknown("the script chooses its data files itself", call.span)
