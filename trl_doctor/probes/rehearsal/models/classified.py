"""Sees rewards that take a classifier's score without the label that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from .. import patching
from ..noted import NotedDict
from ..record import Mistake, Record
from ..where import At, called_by_user

ENOUGH = 3
"""Results of which only the score was read, before the next one's is."""

LABEL, SCORE = "label", "score"


class Batch:
    """Results that the script got before it read any of them."""

    def __init__(self) -> None:
        self.scores, self.labels = 0, False
        self.at: At | None = None


class Classified:
    """Gives the script results of a text classifier that note what is read of them.

    A batch is judged when the next one comes: labels may be read behind all of its scores.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.batch = Batch()
        self.scores = 0
        self.told = False

    def act(self, module: ModuleType) -> None:
        """`transformers.pipelines.text_classification`."""
        patching.around(module.TextClassificationPipeline, "postprocess", self._result)

    def _result(self, original: Any, pipe: Any, *args: Any, **more: Any) -> Any:
        """The likeliest label with its score is one dict; of all labels there is a list."""
        result = original(pipe, *args, **more)
        self._judge()
        return Result(result, self) if type(result) is dict and _one_of(pipe, more) else result

    def _judge(self) -> None:
        """Tell of a batch of which the scores were read, and no label."""
        batch = self.batch
        if not batch.scores and not batch.labels:
            return
        self.batch = Batch()
        self.scores += 0 if batch.labels else batch.scores
        if self.scores > ENOUGH and self.record.trainer and not self.told:
            self.told = True
            self.record.mistake(Mistake("score without label", [], batch.at))

    def reads_score(self, batch: Batch) -> None:
        """The script reads the score of a result while a trainer trains."""
        at = called_by_user()
        if at is not None and self.record.trainer:
            batch.scores, batch.at = batch.scores + 1, at


def _one_of(pipe: Any, given: Mapping[str, Any]) -> bool:
    """Whether the labels exclude each other: else the likeliest one says how likely any is."""
    config = pipe.model.config
    apart = "sigmoid" in str(given.get("function_to_apply") or "").lower()
    apart = apart or getattr(config, "problem_type", None) == "multi_label_classification"
    return not apart and int(getattr(config, "num_labels", 1)) > 1


class Result(NotedDict):
    """A label and its score."""

    def __init__(self, result: dict[str, Any], watch: Classified) -> None:
        super().__init__(result)
        self.watch, self.batch = watch, watch.batch

    def __getitem__(self, name: Any) -> Any:
        self._note(name)
        return super().__getitem__(name)

    def get(self, name: Any, default: Any = None) -> Any:
        self._note(name)
        return super().get(name, default)

    def pop(self, name: Any, *default: Any) -> Any:
        self._note(name)
        return super().pop(name, *default)

    def _note(self, name: Any) -> None:
        if name == SCORE:
            self.watch.reads_score(self.batch)
        elif name == LABEL:
            self._whole()

    def _whole(self) -> None:
        """The label is read."""
        self.batch.labels = True

    def items(self) -> Any:
        self._whole()
        return super().items()

    def values(self) -> Any:
        self._whole()
        return super().values()

    def __iter__(self) -> Any:
        self._whole()
        return super().__iter__()

    def __eq__(self, other: Any) -> bool:
        self._whole()
        return super().__eq__(other)

    def __repr__(self) -> str:
        self._whole()
        return super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        self._whole()
        return super().__reduce_ex__(protocol)
