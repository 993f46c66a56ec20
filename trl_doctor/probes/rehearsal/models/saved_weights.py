"""Whether the folders of models that the script saves have the weights that it trained."""

from __future__ import annotations

import contextlib
import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..record import Record, rank
from ..where import here
from .saved_tokenizers import SavedTokenizers

SAMPLE = 4096
"""The most numbers of a tensor that are compared."""

OTHERWISE = re.compile(r"torch\.save|save_file|state_dict|push_to_hub|upload_|save_pretrained_")

INNER = ".base_layer."
"""A part of the names of weights that an adapter wraps."""

ADAPTER = "adapter_model"
"""How a file of an adapter begins: it has the embeddings that the adapter wraps, too."""

Digest = tuple[str, bytes]


class SavedWeights:
    """Compares what is saved with the trained weights, before their first step and after the last.

    Weights are compared by their numbers and not by their names, which differ between a model, its
    adapter and what merges both.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.tokenizers = SavedTokenizers(record)
        self.merged = False
        self._before: set[Digest] = set()
        self._after: set[Digest] = set()
        self._frozen: set[Digest] = set()
        self.is_aside = False
        self._trained = False

    @contextlib.contextmanager
    def training(self, trainer: Any, *, whole: bool) -> Iterator[None]:
        """Compare the weights before and after; `whole` says that all of them are here."""
        then = digests_of(trainer.model) if whole else {}
        with self.aside():
            yield
        now = digests_of(trainer.model) if whole else {}
        for name, before in then.items():
            after = now.get(name, before)
            if after == before:
                self._frozen |= before
            else:
                self._before |= before
                self._after |= after
        self._trained = bool(self._after)
        self.tokenizers.trained(trainer)

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """While this lasts, what is saved is not the script's own."""
        before, self.is_aside = self.is_aside, True
        try:
            yield
        finally:
            self.is_aside = before

    def unseen(self, call: Callable[..., Any], *args: Any) -> Any:
        """What a call gives; what it saves is not the script's own."""
        with self.aside():
            return call(*args)

    def tokenizer_saved(self, tokenizer: Any, folder: Any) -> None:
        """The script itself, or a library that it uses, has saved a tokenizer."""
        if not self.is_aside:
            self.tokenizers.saved(tokenizer, folder)

    def merges(self, original: Any, *args: Any, **more: Any) -> Any:
        """An adapter is merged: small steps of an adapter may change no number of the weights."""
        self.merged = True
        return original(*args, **more)

    def saved(self, folder: str) -> None:
        """Report what a folder has that the script itself has just saved."""
        if self.is_aside or rank() or not self._trained:
            return
        with contextlib.suppress(Exception):  # a format of another kind
            saved, inner = of_folder(Path(folder))
            if not saved and not any(Path(folder).glob(f"{ADAPTER}*.safetensors")):
                return
            state = self._state(saved) if saved else "empty"
            self.record.add("kept", folder=Path(folder).name, state=state, inner=inner, at=here())

    def _state(self, saved: set[Digest]) -> str:
        """Where weights are from that were saved; in a short dtype a small step may be nothing."""
        if saved & (self._after - self._before):
            return "trained"
        all_known = saved <= self._before | self._after | self._frozen
        old = saved & (self._before - self._after) or saved <= self._frozen
        certain = all_known and old and not self.merged and not _saves_otherwise()
        return "untouched" if certain else "other"


def _saves_otherwise() -> bool:
    """Whether the script may save the trained weights in a way that is not watched."""
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    try:
        return bool(OTHERWISE.search(Path(str(file)).read_text("utf-8", "replace")))
    except OSError:
        return True


def digests_of(model: Any) -> dict[str, set[Digest]]:
    """What identifies each weight of a model, as it is and in the usual dtypes."""
    import torch

    kinds = (torch.float32, torch.bfloat16, torch.float16)
    return {
        name: {_digest(weights.to(kind)) for kind in kinds}
        for name, weights in (
            (name, _sample(weights)) for name, weights in model.named_parameters()
        )
    }


def of_folder(folder: Path) -> tuple[set[Digest], list[str]]:
    """What identifies the weights in a folder, and the names of those that an adapter wraps."""
    from safetensors import safe_open

    digests: set[Digest] = set()
    inner: list[str] = []
    for file in sorted(folder.glob("*.safetensors")):
        with safe_open(str(file), framework="pt") as tensors:
            for name in tensors.keys():  # noqa: SIM118
                digests.add(of_tensor(tensors.get_tensor(name)))
                if INNER in name and not file.name.startswith(ADAPTER):
                    inner.append(name)
    return digests, inner[:3]


def of_tensor(weights: Any) -> Digest:
    """What identifies the weights of a file, in the dtype that they have there."""
    return _digest(_sample(weights))


def _sample(weights: Any) -> Any:
    """Some of the numbers, evenly chosen."""
    flat = weights.detach().flatten()
    return flat[:: max(1, len(flat) // SAMPLE)][:SAMPLE]


def _digest(sample: Any) -> Digest:
    data = sample.float().contiguous().numpy().tobytes()
    return str(sample.dtype), hashlib.blake2b(data, digest_size=8).digest()
