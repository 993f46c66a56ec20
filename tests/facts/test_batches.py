"""The arithmetic of groups: what a fix proposes is accepted, and nothing smaller would be."""

from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace
from packaging.version import Version

from trl_doctor.facts.training.batches import (
    Sizes,
    evaluation_refused,
    fitting_batch,
    fitting_per_device,
    fitting_steps,
    training_refused,
)

RELEASES = some.sampled_from([Version(text) for text in ("0.15.2", "0.17.0", "0.18.0", "1.16.0")])
SMALL = some.integers(1, 12)
GROUPS = some.integers(2, 16)
PROCESSES = some.integers(1, 8)


@given(RELEASES, SMALL, SMALL, GROUPS, PROCESSES)
def test_the_proposed_steps_are_the_fewest_that_fit(
    release: Version, per_device: int, accumulation: int, generations: int, processes: int
) -> None:
    sizes = Sizes(release, per_device, accumulation, generations)
    if release < Version("0.17.0"):
        value = fitting_per_device(per_device, generations, processes)
        fitting = [
            replace(sizes, per_device_train_batch_size=size)
            for size in range(per_device, value + 1)
        ]
    else:
        value = fitting_steps(sizes, processes)
        fitting = [
            replace(sizes, gradient_accumulation_steps=steps)
            for steps in range(accumulation, value + 1)
        ]
    refused = [bool(training_refused(candidate, processes)) for candidate in fitting]
    assert refused == [True] * (len(fitting) - 1) + [False]


@given(SMALL, GROUPS, PROCESSES, some.integers(1, 64))
def test_the_proposed_generation_batch_is_the_smallest_that_fits(
    per_device: int, generations: int, processes: int, batch: int
) -> None:
    sizes = Sizes(Version("1.16.0"), per_device, 1, generations, generation_batch_size=batch)
    value = fitting_batch(sizes, processes)
    refused = [
        bool(training_refused(replace(sizes, generation_batch_size=size), processes))
        for size in range(batch, value + 1)
    ]
    assert refused == [True] * (value - batch) + [False]


@given(SMALL, GROUPS, PROCESSES)
def test_the_proposed_evaluation_batch_is_the_smallest_that_fits(
    per_device: int, generations: int, processes: int
) -> None:
    value = fitting_per_device(per_device, generations, processes)
    sizes = Sizes(Version("1.16.0"), num_generations=generations)
    refused = [
        bool(evaluation_refused(replace(sizes, per_device_eval_batch_size=size), processes))
        for size in range(per_device, value + 1)
    ]
    assert refused == [True] * (value - per_device) + [False]


@given(SMALL, SMALL, GROUPS, some.integers(1, 6))
def test_what_fits_one_process_fits_all_numbers_of_them(
    per_device: int, accumulation: int, generations: int, processes: int
) -> None:
    sizes = Sizes(Version("1.16.0"), per_device, accumulation, generations)
    if not training_refused(sizes, 1):
        assert not training_refused(sizes, processes)
