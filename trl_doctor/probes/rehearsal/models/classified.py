"""Sees rewards that take a classifier's score without the label that it belongs to."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from .. import patching
from ..record import Record
from ..where import called_by_user

ENOUGH = 3
"""Results of which only the score was read, before the next one's is."""

SCORE = "score"


class Classified:
    """Gives the script results of a text classifier that note what is read of them."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.score_only = 0
        self.told = False

    def act(self, module: ModuleType) -> None:
        """`transformers.pipelines.text_classification`."""
        patching.around(module.TextClassificationPipeline, "postprocess", self._result)

    def _result(self, original: Any, pipe: Any, *args: Any, **more: Any) -> Any:
        """The likeliest label with its score is one dict; of all labels there is a list."""
        result = original(pipe, *args, **more)
        labels = int(getattr(pipe.model.config, "num_labels", 1))
        return Result(result, self) if type(result) is dict and labels > 1 else result

    def reads_score(self, result: Result) -> None:
        """The script reads the score of a result while a trainer trains."""
        at = called_by_user()
        if at is None or not self.record.trainer or result.reads_label or result.reads_score:
            return
        result.reads_score = True
        self.score_only += 1
        if self.score_only > ENOUGH and not self.told:
            self.told = True
            self.record.add("mistake", what="score without label", words=[], at=at)


class Result(dict):  # type: ignore[type-arg]
    """A label and its score."""

    def __init__(self, result: dict[str, Any], watch: Classified) -> None:
        super().__init__(result)
        self.watch, self.reads_label, self.reads_score = watch, False, False

    def __getitem__(self, name: Any) -> Any:
        self._note(name)
        return super().__getitem__(name)

    def get(self, name: Any, default: Any = None) -> Any:
        self._note(name)
        return super().get(name, default)

    def _note(self, name: Any) -> None:
        if name == SCORE:
            self.watch.reads_score(self)
        else:
            self._whole()

    def _whole(self) -> None:
        """The label is read, perhaps behind the score."""
        self.watch.score_only -= self.reads_score and not self.reads_label
        self.reads_label = True

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
        return dict, (dict(super().items()),)
