"""Whether a data loader of the script's own gives the rows in the same order in each epoch."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import re
from collections.abc import Iterator, Sized
from types import ModuleType
from typing import Any

from ....watching.alignment import own_loss
from ... import patching
from ...kinds import LIBRARY, package_of
from ...record import Mistake, of_the_job
from ...rows.intent import says
from ...where import attributes_of, called_by_user, own_files
from ..classes import released
from ..configs import OWN

LINE = "_trl_doctor_line"
"""The attribute of a sampler that torch has chosen, with the line that builds the data loader."""

ROWS, SORTED = "_trl_doctor_rows", "_trl_doctor_sorted"
"""The attributes of a trainer with the number of its rows, None where the rehearsal has cut them,
and with the column that they are sorted by, "" if there is none."""

FEWEST, BLOCK, MOST = 12, 4, 8
"""Rows that tell something, the least of one value, and the most values that sort them."""

NUMBERS = re.compile(r"id$", re.IGNORECASE)
"""What columns are called by which rows are sorted in any case."""

STAGES = re.compile(
    r"stage|phase|level|difficult|hard|eas[yi]|epoch|part|step|episode|bucket|length|round|turn"
    r"|chapter|session|client|(^|_)(date|day|week|month|year|time|hour)",
    re.IGNORECASE,
)
"""What columns are called by which rows are sorted on purpose."""

ASKS = ("shuffle", "sampler", "batch_sampler")
"""Arguments of a data loader that say in which order the rows come."""

SAMPLER = "_get_train_sampler"

ON_PURPOSE = re.compile(
    r"shuffl(?!e\s*=)|permut|randperm|\bsort(?:ed|_\w+)?\(|\.sample\(|\brandom\.(?!seed|manual)\w"
    r"|default_rng|train_test_split|random_split|interleave_datasets|set_epoch|\w*Sampler\b"
    r"|curricul|(?<!nn\.)sequential|chronolog|time[ _-]?series|progressive|\beas(?:y|ier|iest)\b"
    r"|\border(?:ed|ing|_by)?\b(?! to\b)|\bshort\w*\b[^\n]*\blong|bucket|\boverfit"
    r"|\bhard(?:er|est)?\b|difficult|\bone after (?:the other|another)|\bsame batch"
    r"|\bone \w+ (?:a|per|in each) batch|recurrent|federat|\bcarried (?:over|into)\b",
    re.IGNORECASE,
)
"""What a script says that shuffles its rows itself, or has put them into an order on purpose."""


def watch(module: ModuleType) -> None:
    """`torch.utils.data.dataloader`: where the script builds a data loader."""
    patching.around(module.DataLoader, "__init__", _built)


def _built(original: Any, loader: Any, *args: Any, **more: Any) -> None:
    original(loader, *args, **more)
    at = called_by_user()
    with contextlib.suppress(Exception):  # a sampler that takes no attribute
        given = inspect.signature(original).bind(loader, *args, **more).arguments
        if at and all(given.get(name) is None for name in ASKS):
            setattr(loader.sampler, LINE, at)


def note(trainer: Any, rows: Any, *, whole: bool) -> None:
    """Keep what is known of the rows that a trainer is given; `whole` if they are all of them."""
    known = isinstance(rows, Sized) and whole
    vars(trainer)[ROWS] = len(rows) if known else None
    with contextlib.suppress(Exception):  # rows of another kind
        vars(trainer)[SORTED] = sorting_column(rows)


def sorting_column(rows: Any) -> str:
    """The column of few values each of which has its rows in one block; "" if there is none.

    Nor if another such column says that the order is on purpose.
    """
    found = list[str]()
    for name in getattr(rows, "column_names", None) or () if isinstance(rows, Sized) else ():
        kind = getattr(getattr(rows, "features", {}).get(name), "dtype", "")
        known = kind in ("string", "bool", "int64") and len(rows) >= FEWEST
        if NUMBERS.search(name) or not known:
            continue
        blocks = [(value, len([*same])) for value, same in itertools.groupby(rows[name])]
        values = {value for value, _ in blocks}
        if 1 < len(values) == len(blocks) <= MOST and min(size for _, size in blocks) >= BLOCK:
            found.append(str(name))
    return "" if any(map(STAGES.search, found)) else "".join(found[:1])


def of_order(trainer: Any) -> Iterator[Mistake]:
    """Rows in one order, where the trainer's own data loader would shuffle them for each pass."""
    loader: Any = getattr(getattr(trainer, "callback_handler", None), "train_dataloader", None)
    batches: Any = getattr(loader, "batch_sampler", None)
    batches = getattr(batches, "batch_sampler", batches)  # accelerate shares them out
    sampler = getattr(batches, "sampler", None)
    at = getattr(sampler, LINE, None)
    if at is None or type(sampler).__name__ != "SequentialSampler" or not _would_shuffle(trainer):
        return
    if own_loss(trainer):
        return  # which may compare rows that stand together
    with contextlib.suppress(Exception):  # arguments, or rows, of another kind
        rows = getattr(loader, "dataset", ())
        if 0 < len(rows) <= batches.batch_size or _varies(rows):
            return  # one batch has all rows, or the order does not matter
        passes = _passes(trainer, batches.batch_size)
        column = vars(trainer).get(SORTED)
        if not passes or says(ON_PURPOSE):
            return
        if column:
            yield Mistake("rows in blocks", [column], at)
        elif passes >= 2:
            yield Mistake("rows in one order", [str(passes)], at)


def _varies(rows: Any) -> bool:
    """Whether a data set gives other rows when it is asked again."""
    first, again = ([repr(rows[at]) for at in range(min(len(rows), FEWEST))] for _ in range(2))
    return first != again


def _would_shuffle(trainer: Any) -> bool:
    """Whether the library's trainer draws the rows in a new order for each pass."""
    own = getattr(type(trainer), SAMPLER, None)
    if package_of(own) not in LIBRARY or getattr(trainer.args, "shuffle_dataset", False):
        return False
    with contextlib.suppress(Exception):
        drawn = getattr(released(type(trainer)), SAMPLER)(trainer)
        return type(drawn).__name__ == "RandomSampler"
    return False


def _passes(trainer: Any, size: int) -> int:
    """How often the job sees each row; 0 if that is not known, or one step has all rows."""
    args, rows = trainer.args, vars(trainer).get(ROWS)
    own = getattr(args, OWN, None)
    if own is None or "max_steps" in attributes_of(own_files()):
        return 0
    if size == args.per_device_train_batch_size:  # the rehearsal's, for that of the job
        size = own.get("per_device_train_batch_size", 8)
    step = size * own.get("gradient_accumulation_steps", 1) * of_the_job()
    if rows and step >= rows:
        return 0
    steps = own.get("max_steps", -1)
    return int(steps * step / rows if rows else 0) if steps > 0 else int(args.num_train_epochs)
