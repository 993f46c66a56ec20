"""The processes that a config class counts, where one process asks it."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from trl_doctor.probes.layout.counted import counted_alike


class Arguments:
    world_size = 1


def config(batch: int, generations: int) -> int:
    """The processes that were counted; raises what TRL's config classes raise."""
    count = Arguments.world_size
    count = count if isinstance(count, int) else count.fget(None)  # type: ignore[attr-defined]
    if batch * count % generations:
        raise ValueError(f"generation_batch_size ({batch * count}) must be divisible")
    return count


@pytest.mark.parametrize(
    ("processes", "batch", "generations", "counted"),
    [(4, 6, 8, 4), (None, 6, 8, 4), (None, 8, 8, 1), (1, 6, 8, 0), (None, 1, 1000, 0)],
)
def test_a_batch_has_to_fit_the_processes_of_the_job(
    processes: int | None,
    batch: int,
    generations: int,
    counted: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(TrainingArguments=Arguments))
    if counted:
        assert counted_alike(processes, lambda: config(batch, generations)) == counted
    else:
        with pytest.raises(ValueError, match=rf"size \({batch}\)"):
            counted_alike(processes, lambda: config(batch, generations))
    assert Arguments.world_size == 1


def test_what_is_no_matter_of_batches_is_raised_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(TrainingArguments=Arguments))
    made = []

    def refused() -> None:
        made.append(1)
        raise TypeError("unexpected keyword argument 'x'")

    with pytest.raises(TypeError):
        counted_alike(None, refused)
    assert len(made) == 1
