"""Sees a model that the script's own code asks while its dropout is active."""

from __future__ import annotations

import ast
import atexit
import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ...dropouts import dropout_of
from ...members import word
from ...named_objects import nodes_of
from ...watching.row_losses import exact
from .. import patching
from ..record import Mistake, Record
from ..rows.intent import says
from ..where import CALLERS, At, attributes_of, called_by_user, here, own_files
from .configs import EVALUATES, own_of

ON_PURPOSE = re.compile(
    r"mc[ _-]?drop|monte[ _-]?carlo|uncertainty|bayes|ensembl|stochastic[ _](?:forward|pass)"
    r"|(?:enabl|activat)\w*[ _](?:the[ _])?drop|drop[ _-]?out\w*[ _](?:\w+[ _])?(?:on|active)\b",
    re.IGNORECASE,
)
"""What a script says that wants another answer each time."""

TRAINS = frozenset({"backward", "autograd"})
"""Attributes that code has which trains in a loop of its own."""

REPEATED = 3
"""How often each text is given to a model whose answers are averaged, at least."""

TRIED, SHOWN = 4, 2
"""Calls of a line that are repeated, and kinds of dropout that are named."""

TENSORS = ("attention_mask", "token_type_ids", "pixel_values", "image_grid_thw")
"""What `generate` is given, and the model, too."""

KEYS = ("eval_strategy", "evaluation_strategy")

AT_END = (5, 4)
"""The first transformers that evaluates after the last step, if it evaluates each n steps."""

STOPS, ENDS = "EarlyStoppingCallback", frozenset({"should_evaluate", "should_training_stop"})
"""What a script has that decides when its training ends, or when it evaluates."""

Modes = list[tuple[Any, bool]]


class Line:
    """The calls of one line: what it does, with which dropout, and how often with which text."""

    def __init__(self, does: str, dropout: str) -> None:
        self.does, self.dropout = does, dropout
        self.tried, self.noisy = 0, False
        self.texts = Counter[Any]()


class InTraining:
    """Models in training mode that answer the script's own code, outside of any trainer."""

    def __init__(self, record: Record) -> None:
        self.record, self.lines = record, dict[At, Line]()
        self.busy = self.known = False

    @contextlib.contextmanager
    def examined(self, trainer: Any) -> Iterator[None]:
        """After this, the trainer's model is in the mode in which the whole run leaves it."""
        model: Any = getattr(trainer, "model", None)
        modes = modes_of(model)
        try:
            yield
        finally:
            set_modes(modes)
            with contextlib.suppress(Exception):  # a trainer of another kind
                self.watch(trainer.accelerator.unwrap_model(model))
                if _ends_in_evaluation(trainer.args, at_end=_evaluates_at_end()):
                    model.eval()

    def watch(self, model: Any) -> None:
        """See each call of a model, once."""
        patching.before_calls(model, self._called)

    def generates(self, model: Any, prompts: Any, more: dict[str, Any]) -> None:
        """A model generates, and no trainer is at work."""
        if model.training and not self.record.trainer and (at := here()):
            named = {name: more[name] for name in TENSORS if more.get(name) is not None}
            if getattr(model.config, "is_encoder_decoder", False):
                named["decoder_input_ids"] = prompts[:, :1]
            self._note(at, "generates", model, (), {"input_ids": prompts, **named})

    def _called(self, model: Any, given: Any, named: Any) -> None:
        import torch

        if self.busy or self.record.trainer or not model.training or torch.is_grad_enabled():
            return
        if named.get("past_key_values") is None and (at := called_by_user(CALLERS)):
            self._note(at, "calls the model", model, given, named)

    def _note(self, at: At, does: str, model: Any, given: Any, named: Any) -> None:
        """A line asks a model; a few of its calls are repeated, until one has other answers."""
        if at not in self.lines:
            self.lines[at] = Line(does, "")
        line = self.lines[at]
        with contextlib.suppress(Exception):  # tokens, or a model, of another kind
            if not line.noisy and line.tried < TRIED:
                figures = dropout_of(model)
                line.tried += 1
                line.dropout = ", ".join(
                    f"{name} {value:g}" for name, value in [*figures.items()][-SHOWN:]
                )
                line.noisy = bool(figures) and self._differs(model, given, named)
                if line.noisy and not self.known:
                    self.known = True
                    if not _on_purpose():
                        atexit.register(self._tell)
            line.texts.update(_rows(named.get("input_ids", given[0] if given else None)))

    def _differs(self, model: Any, given: Any, named: Any) -> bool:
        """Whether the same tokens get other scores each time, and the same without dropout."""
        import torch
        from torch.random import fork_rng

        modes, self.busy = modes_of(model), True
        try:
            with torch.inference_mode(False), torch.no_grad(), fork_rng(devices=[]), exact(model):
                first, second = (_scores(model(*given, **named)) for _ in range(2))
                set_modes(modes)
                third, fourth = (_scores(model(*given, **named)) for _ in range(2))
            return torch.equal(first, second) and not torch.equal(third, fourth)
        finally:
            set_modes(modes)
            self.busy = False

    def _tell(self) -> None:
        """Tell of the first line whose answers are left to chance, once the script has ended."""
        for at, line in self.lines.items():
            if line.noisy and min(line.texts.values(), default=REPEATED) < REPEATED:
                words = [line.does, line.dropout]
                self.record.mistake(Mistake("used in training mode", words, at))
                return

    def __deepcopy__(self, memo: Any) -> InTraining:
        """Copies of a model are watched as it is."""
        return self

    def __reduce__(self) -> Any:
        """In a saved model it knows nothing."""
        return InTraining, (self.record,)


def _on_purpose() -> bool:
    """Whether the script trains in a loop of its own, or wants another answer each time."""
    files = own_files()
    trains = not TRAINS.isdisjoint(attributes_of(files))
    return trains or says(ON_PURPOSE) or any(_sets_training(nodes_of(file)) for file in files)


def _sets_training(nodes: Iterable[ast.AST]) -> bool:
    """Whether code calls `train()` of a model that it also asks, after it has trained."""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    asked = {ast.unparse(call.func).removesuffix(".generate") for call in calls}
    modes, trainings = [0], [0]
    for call in calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "train":
            of_model = ast.unparse(call.func.value) in asked
            turns_on = all(getattr(given, "value", None) is True for given in call.args)
            if of_model and turns_on:
                modes.append(call.lineno)
            elif not of_model:
                trainings.append(call.lineno)
    return max(modes) > max(trainings)


def modes_of(model: Any) -> Modes:
    """Which parts of a model are in training mode."""
    return [(part, part.training) for part in model.modules()] if hasattr(model, "modules") else []


def set_modes(modes: Modes) -> None:
    """Give parts of a model the modes that they had."""
    for part, training in modes:
        part.training = training


def _rows(ids: Any) -> list[Any]:
    """The texts of a call; those that are not known count as one."""
    return [tuple(row) for row in ids.tolist()] if getattr(ids, "ndim", 0) == 2 else [None]


def _scores(output: Any) -> Any:
    """What a model computes of its tokens."""
    for name in ("logits", "last_hidden_state"):
        if getattr(output, name, None) is not None:
            return getattr(output, name)
    return output[0] if isinstance(output, tuple) else output


def _evaluates_at_end() -> bool:
    """Whether this transformers evaluates after the last step, whatever its number."""
    import transformers

    major, minor = transformers.__version__.split(".")[:2]
    return (int(major), int(minor)) >= AT_END


def _ends_in_evaluation(args: Any, *, at_end: bool = False) -> bool:
    """Whether the last thing that the whole run does is an evaluation, as far as that is known."""
    own = own_of(args)
    strategy = next((word(own[key]).lower() for key in KEYS if own.get(key)), "")
    if not getattr(args, EVALUATES, False) or strategy == "no":
        return False
    steps, every = own.get("max_steps"), own.get("eval_steps", own.get("logging_steps"))
    if strategy != "steps" or not isinstance(steps, int) or not isinstance(every, int):
        return True
    return at_end or min(steps, every) < 1 or steps % every == 0 or _may_stop()


def _may_stop() -> bool:
    """Whether a callback may end the training at an evaluation, or evaluate once more."""
    files = own_files()
    names = {node.id for file in files for node in nodes_of(file) if isinstance(node, ast.Name)}
    return STOPS in names or not ENDS.isdisjoint(attributes_of(files))
