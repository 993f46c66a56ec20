"""The number of training processes that a config class sees, where one process asks it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from unittest import mock

ANY = (1, 2, 4, 8, 16, 32, 3, 5, 6, 7)
"""Tried in this order where the number of processes is not known."""

OF_BATCHES = re.compile(r"divisible|multiple of|num_generations")
"""What config classes say of a batch that does not fit the number of processes."""


def counted_alike(processes: int | None, make: Callable[[], Any]) -> Any:
    """What `make` makes while each config of transformers counts this many processes.

    Where the number is None, any number that the batch fits will do. Raises what `make` raises
    with the first number.
    """
    refused: Exception | None = None
    for count in (processes,) if processes else ANY:
        try:
            return _counting(count, make)
        except Exception as error:
            refused = refused or error
            if processes or not OF_BATCHES.search(str(error)):
                break
    assert refused is not None
    raise refused


def _counting(count: int, make: Callable[[], Any]) -> Any:
    from transformers import TrainingArguments

    if count == 1:
        return make()
    with mock.patch.object(TrainingArguments, "world_size", property(lambda config: count)):
        return make()
