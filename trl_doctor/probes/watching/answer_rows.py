"""The rows of a batch with the tokens that are to be learned, and where a model reads them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

MASKS = (
    ("input_ids", "labels"),
    ("input_ids", "completion_mask"),
    ("chosen_input_ids", "chosen_labels"),
    ("rejected_input_ids", "rejected_labels"),
    ("completion_input_ids", "completion_labels"),
)
"""The names under which batches have tokens, and what says which of them are to be learned."""

LABELS = "labels"
PROMPT = "prompt_input_ids"
ANSWERS = ("chosen_input_ids", "rejected_input_ids")
"""Those of pairs whose answers stand apart from their prompts."""

FEWEST = 2
"""The tokens of a row that are neither the first nor the last of an answer, at least."""


class Row(NamedTuple):
    """The tokens of a row without padding, and where its batch has them."""

    ids: list[int]
    learned: list[bool]
    """Whether a token is to be learned."""

    names: tuple[str, ...]
    """The names of what a batch has of it: its tokens, and its labels, if it has labels."""

    at: int
    columns: list[int]
    """The place of each token in its row of the batch; -1 for a prompt that stands apart."""

    @property
    def targets(self) -> list[int]:
        """The places of the tokens that can be learned: those with a token before them."""
        return [at for at, here in enumerate(self.learned) if here and at]

    @property
    def firsts(self) -> list[int]:
        """The places of the first tokens of answers; none of a text that is learned from its begin.

        A text may begin with a token that is not learned.
        """
        return [at for at in self.targets if at > 1 and not self.learned[at - 1]]

    @property
    def lasts(self) -> list[int]:
        """The places of the last tokens of answers."""
        return [at for at in self.targets if not (self.learned[at + 1 :] or [False])[0]]

    @property
    def inner(self) -> list[int]:
        """The places of the other tokens that are to be learned."""
        return [at for at in self.targets if at not in {*self.firsts, *self.lasts}]


def rows_of(batch: Mapping[str, Any]) -> list[Row]:
    """The rows whose answers are long enough; none of a batch that does not say what is learned."""
    rows = list(itertools.chain.from_iterable(_rows(batch)))
    return [row for row in rows if row.targets and len(row.inner) >= FEWEST]


def _rows(batch: Mapping[str, Any]) -> Iterator[Iterator[Row]]:
    seen = set[str]()
    for name, mask in MASKS:
        if name in batch and mask in batch and name not in seen:
            seen.add(name)
            yield _whole(batch, name, mask)
    if PROMPT in batch and not seen:
        for name in ANSWERS:
            if name in batch:
                yield _apart(batch, name)


def _whole(batch: Mapping[str, Any], name: str, mask: str) -> Iterator[Row]:
    is_labels = mask.endswith(LABELS)
    if batch[mask].shape != batch[name].shape or batch[name].dim() != 2:
        return
    values = batch[mask].tolist()
    for at, ids, columns in _bare(batch, name):
        learned = [values[at][column] != (-100 if is_labels else 0) for column in columns]
        if is_labels and any(
            here and id != values[at][column] for id, column, here in zip(ids, columns, learned)
        ):
            return  # the labels are those of other places
        yield Row(ids, learned, (name, mask) if is_labels else (name,), at, columns)


def _apart(batch: Mapping[str, Any], name: str) -> Iterator[Row]:
    for (_, prompt, _), (at, answer, columns) in zip(_bare(batch, PROMPT), _bare(batch, name)):
        learned = [False] * len(prompt) + [True] * len(answer)
        yield Row(prompt + answer, learned, (name,), at, [-1] * len(prompt) + columns)


def _bare(batch: Mapping[str, Any], name: str) -> Iterator[tuple[int, list[int], list[int]]]:
    """The tokens of each row that are no padding, the row of the batch, and their places in it.

    A row of a batch without padding has several, one after the other.
    """
    kept = _values(batch, name, name.replace("input_ids", "attention_mask"))
    places = _values(batch, name, "position_ids")
    for at, ids in enumerate(batch[name].tolist()):
        columns = [column for column in range(len(ids)) if kept is None or kept[at][column]]
        starts = [
            to for to, column in enumerate(columns) if places and not places[at][column] and to
        ]
        for start, end in zip([0, *starts], [*starts, len(columns)]):
            part = columns[start:end]
            yield at, [ids[column] for column in part], part


def _values(batch: Mapping[str, Any], name: str, other: str) -> Any:
    """What else a batch has for each of these tokens; None if it has not."""
    value: Any = batch.get(other)
    return value.tolist() if getattr(value, "shape", None) == batch[name].shape else None


class Read(NamedTuple):
    """A row that a model has read, with the gradient at each of its tokens."""

    row: Row
    sizes: list[float]
    """How large it is, exactly 0 where the loss does not read the prediction."""

    raised: list[int]
    """The token whose chance it changes most."""

    fills: bool
    """Whether the row ends where the batch ends."""

    def lost(self, target: int) -> bool:
        """Whether the loss does not read the prediction of this token."""
        return not self.sizes[target - 1]


def read(row: Row, calls: Sequence[tuple[Any, Any]]) -> Read | None:
    """Where the calls of a model read a row; None if none does.

    Some losses give the model all tokens but the last one of the batch.
    """
    for length in (len(row.ids), len(row.ids) - 1):
        found = [one for call in calls for one in _places(row.ids[:length], *call)]
        if found:
            sizes = [sum(sides) for sides in zip(*(g.abs().sum(-1).tolist() for g, _ in found))]
            raised = found[0][0].abs().argmax(-1).tolist()
            missing = len(row.ids) - length
            return Read(row, sizes + [0.0] * missing, raised + [-1] * missing,
                        all(ends for _, ends in found))  # fmt: skip
    return None


def _places(ids: list[int], gradient: Any, given: Any) -> Iterator[tuple[Any, bool]]:
    """The gradient at these tokens in each row of a call, and whether they end where it ends."""
    if given is None or gradient.shape[:2] != given.shape:
        return
    for at, tokens in enumerate(given.tolist()):
        for start in range(len(tokens) - len(ids) + 1):
            if tokens[start] == ids[0] and tokens[start : start + len(ids)] == ids:
                end = start + len(ids)
                yield gradient[at, start:end], end == len(tokens)
                break
