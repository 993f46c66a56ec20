"""Sees which token the script's own code takes a model's logits at a place for."""

from __future__ import annotations

import atexit
import contextlib
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ...watching.own_loss import predicts_next
from .. import patching
from ..record import Mistake, Record
from ..where import TORCH, At, attributes_of, called_by_user, own_files

HELPERS = (*TORCH, "/trl/trainer/utils.py", "/trl/core.py")
"""Between the script's code and a function of torch may be these."""

CALLS, TRIED, ROWS = 4, 200, 2048
"""Calls of models that are remembered, and of a line that are looked at; places of one of them."""

EXTREMES = 12
"""A place is known again by its likeliest and its least likely tokens, so many of each."""

FEWEST, FURTHER = 4, 6
"""Places at which a line takes a wrong token, at least: its own one, the one after the next."""

SHARE, CHANCE = 0.5, 0.05
"""Their share of all places, at least, and the share of right ones beside them, at most."""

CHOOSES = frozenset({"argmax", "topk", "multinomial", "sample", "sort", "generate"})
"""Methods of code that takes the tokens which the model prefers: no labels."""

ALONG, PAIRED = ("gather", "take_along_dim"), ("cross_entropy", "nll_loss")


ScoresOf = Callable[..., "tuple[Any, Any] | None"]
"""Gives the logits of places, and the token of each, by the arguments of a function of torch."""

Around = tuple[int, int, int, int]
"""The token before a place, that of the place, and the two behind it."""


class Call(NamedTuple):
    """The token ids of a model's call, and its logits, for the last of these or for all."""

    ids: Any
    logits: Any


class TokenScores:
    """Models, and the lines of the script that read log-probabilities from their logits."""

    def __init__(self, record: Record) -> None:
        self.record, self.lines = record, dict[At, Line]()
        self.calls = deque[Call](maxlen=CALLS)
        self.busy = self.watches = False

    def watch(self, model: Any) -> None:
        """See what each call of a model returns, once."""
        hooks = getattr(model, "_forward_hooks", None)
        if hooks is None or any(getattr(hook, "__self__", None) is self for hook in hooks.values()):
            return
        model.register_forward_hook(self._called, with_kwargs=True)

    def _called(self, model: Any, given: Any, named: Any, output: Any) -> None:
        ids, logits = named.get("input_ids", given[0] if given else None), _logits(output)
        if getattr(ids, "ndim", 0) != 2 or getattr(logits, "ndim", 0) != 3:
            return
        if not predicts_next(model) or getattr(model.config, "is_encoder_decoder", False):
            return
        self.calls.append(Call(ids.detach(), logits.detach()))
        if not self.watches and called_by_user(TORCH):
            self.watches = True
            atexit.register(self._tell)
            self._look_at_reading()

    def _look_at_reading(self) -> None:
        """From now on, see what reads a score for each token."""
        import torch
        import torch.nn.functional as functional

        for owner in (torch, torch.Tensor):
            for name in ALONG:
                patching.before(owner, name, partial(self._read, _along))
        for name in PAIRED:
            patching.before(functional, name, partial(self._read, _paired))
        patching.before(torch.Tensor, "__getitem__", self._indexed)

    def _indexed(self, scores: Any, key: Any) -> None:
        """A tensor is asked for a part of it; several places are a tuple."""
        if type(key) is tuple:
            self._read(_at_places, scores, key)

    def _read(self, scores_of: ScoresOf, *args: Any, **more: Any) -> None:
        """A line may read scores, by a function of torch that gets these arguments."""
        if self.busy or not self.calls or (at := called_by_user(HELPERS)) is None:
            return
        line = self.lines.setdefault(at, Line())
        if line.tried >= TRIED:
            return
        self.busy = True
        try:
            with contextlib.suppress(Exception):  # what is no tensor of scores
                found = scores_of(*args, **more)
                if found is not None:
                    self._note(line, *found)
        finally:
            self.busy = False

    def _note(self, line: Line, scores: Any, tokens: Any) -> None:
        size = scores.shape[-1]
        scores, tokens = scores.detach().reshape(-1, size)[:ROWS], tokens.reshape(-1)[:ROWS]
        if len(tokens) != len(scores) or tokens.is_floating_point():
            return
        for call in reversed(self.calls):
            if call.logits.shape[-1] == size and (places := _places(call)):
                known = zip(_signs(scores), tokens.tolist(), scores.argmax(-1).tolist())
                pairs = [(around, token, likeliest) for sign, token, likeliest in known
                         if (around := places.get(sign))]  # fmt: skip
                if pairs:
                    line.tried += 1
                    line.add(pairs)
                    return

    def _tell(self) -> None:
        """Tell of the first line that takes wrong tokens, once the script has ended."""
        chooses = not CHOOSES.isdisjoint(attributes_of(own_files()))
        for at, line in self.lines.items():
            found = line.found(chooses=chooses)
            if found:
                self.record.mistake(Mistake(found[0], [*map(str, found[1:])], at))
                return

    def __deepcopy__(self, memo: Any) -> TokenScores:
        """Copies of a model are watched as it is."""
        return self

    def __reduce__(self) -> Any:
        """In a saved model it knows nothing."""
        return TokenScores, (self.record,)


class Line:
    """The tokens that a line takes the logits at some places for, by where they stand."""

    def __init__(self) -> None:
        self.tried = self.all = self.preferred = 0
        self.own = self.next = self.earlier = self.later = 0

    def add(self, pairs: list[tuple[Around, int, int]]) -> None:
        """Count places: the tokens around each, the one that is taken, and the likeliest.

        A token of 0 may fill up a place that does not count, as a negative one does.
        """
        for around, token, likeliest in pairs:
            earlier, own, following, later = around
            if len({*around}) < len(around) or token < 0:
                continue
            self.all += token > 0
            self.preferred += token == own == likeliest
            self.own += token == own
            self.next += token == following
            self.earlier += token == earlier
            self.later += token == later

    def found(self, *, chooses: bool) -> tuple[str, int, int] | None:
        """What is wrong, at how many places of how many; `chooses`: tokens may be the likeliest."""
        own = self.own - (self.preferred if chooses else 0)
        for what, count, fewest in (
            ("scores of own tokens", own, FEWEST),
            ("scores of earlier tokens", self.earlier, FURTHER),
            ("scores of later tokens", self.later, FURTHER),
        ):
            enough = count >= max(fewest, SHARE * self.all)
            if enough and self.next <= CHANCE * count:
                return what, count, max(count, self.all)
        return None


def _along(scores: Any, *args: Any, **more: Any) -> tuple[Any, Any] | None:
    """`gather(dim, index)` and `take_along_dim(indices, dim)` of one token a place."""
    named = [*args, *more.values()]
    index = next((one for one in named if hasattr(one, "shape")), None)
    dim = next((one for one in named if isinstance(one, int)), None)
    if index is None or dim not in (-1, scores.ndim - 1) or index.shape[-1] != 1:
        return None
    return (scores, index) if index.shape[:-1] == scores.shape[:-1] else None


def _paired(input: Any, target: Any, *args: Any, **more: Any) -> tuple[Any, Any] | None:
    """`cross_entropy` and `nll_loss`: the tokens are in the second dimension."""
    scores = input.transpose(1, -1) if input.ndim > 2 else input
    return (scores, target) if scores.shape[:-1] == target.shape else None


def _at_places(scores: Any, key: Any) -> tuple[Any, Any] | None:
    """`scores[0, places, tokens]`: one token a place."""
    import torch

    if len(key) != scores.ndim or any(isinstance(one, (slice, bool, type(None))) for one in key):
        return None
    tokens = torch.as_tensor(key[-1])
    chosen = scores[tuple(key[:-1])]
    return (chosen, tokens) if tokens.shape == chosen.shape[:-1] else None


def _places(call: Call) -> dict[tuple[int, ...], Around | None]:
    """The tokens around each place, by its logits; None for logits that several places have."""
    found: dict[tuple[int, ...], Around | None] = {}
    rows, count = call.ids.tolist(), call.logits.shape[1]
    for ids, logits in zip(rows, call.logits):
        begin = len(ids) - count
        for at, sign in enumerate(_signs(logits[:ROWS]), begin):
            if 0 < at < len(ids) - 2:
                around = (ids[at - 1], ids[at], ids[at + 1], ids[at + 2])
                found[sign] = around if found.get(sign, around) == around else None
    return found


def _signs(logits: Any) -> list[tuple[int, ...]]:
    """The likeliest and the least likely tokens of each place."""
    count = min(EXTREMES, logits.shape[-1] // 2)
    ends = [logits.topk(count, -1, largest=largest).indices for largest in (True, False)]
    return [(*high, *low) for high, low in zip(*(end.sort(-1).values.tolist() for end in ends))]


def _logits(output: Any) -> Any:
    return getattr(output, "logits", None) if not isinstance(output, tuple) else output[0]
