"""The batch does not hold whole groups of completions.

GRPO and RLOO compare the completions of one prompt with each other, so a batch must hold whole
groups of num_generations. TRL refuses other sizes when the run starts.

Remedy: change gradient_accumulation_steps, per_device_train_batch_size or num_generations so that
their product with the number of processes is a multiple of num_generations. For the `trl` command
of trl 1.0 and newer, the product without the number of processes.

Versions: trl 0.15 and 0.16 count per_device_train_batch_size x processes; 0.17 multiplies by
gradient_accumulation_steps; from 0.18.0 on it is generation_batch_size, or the same product with
steps_per_generation. Up to 0.14.0 batch sizes count prompts, and any size works. RLOO since 0.22.0.
From 1.0.0 on the `trl` command makes the config in one process, before it starts the others. Before
0.29.0 it does not tell accelerate the number of processes of a run file.

Seen: trl#2858, trl#2876, trl#3061, open-r1#249. Thousands of combinations of sizes were tested
against the configs of trl 0.15.2 to 1.16.0, and each gave what this rule reports.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put, Remove, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.first_process import first_process
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.batches import (
    ACCUMULATED,
    MOST_PROCESSES,
    Sizes,
    fitting_batch,
    fitting_per_device,
    fitting_steps,
    only_for,
    process_count,
    sizes,
    some_counts,
    training_refused,
)


def check(facts: Facts) -> Iterator[Finding]:
    run_sizes, processes = sizes(facts), facts.run.processes
    counts = [processes] if processes else list(range(1, MOST_PROCESSES + 1))
    reasons = {count: training_refused(run_sizes, count) for count in counts}
    good = [count for count, reason in reasons.items() if not reason]
    if first := _refused_first(facts, run_sizes, good):
        yield first
        return
    if len(good) == len(counts):
        return
    if 1 in good:
        raise Unavailable(only_for(good))
    reason = reasons[counts[0]] if processes else training_refused(run_sizes, 1)
    key = _key(run_sizes)
    place = facts.run.place(key) if key in facts.run.arguments else facts.run.place()
    if good:
        yield Finding(
            place,
            f"this does not work with every number of processes; with one, {reason}",
            (f"the number of processes is not known; {only_for(good)}",),
            severity="warning",
        )
        return
    yield Finding(
        place,
        reason,
        tuple(
            f"{process_count(count)}: {facts.run.processes_from}" for count in counts if processes
        ),
        _fix(facts, run_sizes, processes, place),
        severity="warning" if facts.run.processes_assumed else None,
    )


def _refused_first(facts: Facts, run_sizes: Sizes, good: list[int]) -> Finding | None:
    """What the `trl` command refuses before it starts the processes that the sizes fit."""
    first, reason = first_process(facts), training_refused(run_sizes, 1)
    if first is None or not reason or not good:
        return None
    key = _key(run_sizes)
    place = facts.run.place(key) if key in facts.run.arguments else facts.run.place()
    own = f"a script that `accelerate launch` starts works with {some_counts(good)}"
    return Finding(
        place,
        f"the trl command refuses this: {reason}",
        (first.why, *([] if first.certain else [own])),
        _fix(facts, run_sizes, 1, place),
        severity=None if first.certain else "warning",
    )


def _key(run_sizes: Sizes) -> str:
    """The argument that has to change."""
    if run_sizes.num_generations < 2 or run_sizes.generation_batch_size is None:
        return "num_generations"
    return "generation_batch_size"


def _fix(facts: Facts, run_sizes: Sizes, processes: int | None, place: Place) -> Fix | None:
    """The next larger size that works; None if the user has to decide."""
    if run_sizes.num_generations < 2 or processes is None:
        return None
    if run_sizes.generation_batch_size is None and first_process(facts):
        processes = 1  # steps that fit one process fit every number
    if run_sizes.generation_batch_size is not None and run_sizes.steps_per_generation is not None:
        without_batch = replace(run_sizes, generation_batch_size=None)
        if training_refused(without_batch, processes):
            return None
        unchanged = without_batch.generation_batch(processes) == run_sizes.generation_batch_size
        out = Remove(place.file, pointer("generation_batch_size"))
        return Fix("remove generation_batch_size", (out,), safe=unchanged)
    if run_sizes.generation_batch_size is not None:
        key, value = "generation_batch_size", fitting_batch(run_sizes, processes)
    elif run_sizes.release < ACCUMULATED:
        key, per_device = "per_device_train_batch_size", run_sizes.per_device_train_batch_size
        value = fitting_per_device(per_device, run_sizes.num_generations, processes)
    else:
        key, value = run_sizes.steps_key, fitting_steps(run_sizes, processes)
    edit = Put(place.file, pointer(key), value)
    return Fix(f"set {key} to {value}", (edit,), safe=False)


RUN: dict[str, Json] = {
    "trainer": "grpo",
    "num_generations": 8,
    "per_device_train_batch_size": 2,
    "gradient_accumulation_steps": 3,
    "num_processes": 1,
}
HERE = {"trl": "1.16.0", "transformers": "5.23.0"}


def _of_ray(workers: int) -> dict[str, Json]:
    """A job of Ray Train: `python` starts what starts the workers."""
    config = "GRPOConfig('o', per_device_train_batch_size=2, num_generations=8)"
    script = (
        "from ray.train import ScalingConfig\nfrom ray.train.torch import TorchTrainer\n"
        "from trl import GRPOConfig, GRPOTrainer\n\n\ndef loop():\n"
        f"    GRPOTrainer('org/m', reward_funcs=len, args={config})\n\n\n"
        f"TorchTrainer(loop, scaling_config=ScalingConfig(num_workers={workers})).fit()\n"
    )
    return {"job.sh": "python train.py\n", "train.py": script}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="at least 2 generations",
    examples=(
        Bad(
            {"run.json": RUN},
            versions=HERE,
            says="6 completions (per_device_train_batch_size 2 x 1 process x "
            "gradient_accumulation_steps 3) are not a multiple of num_generations 8",
            fixed={"run.json": {**RUN, "gradient_accumulation_steps": 4}},
        ),
        Bad(
            {"run.json": {**RUN, "generation_batch_size": 6, "steps_per_generation": 3}},
            versions=HERE,
            says="are both set",
        ),
        Bad(
            {"run.json": {**RUN, "generation_batch_size": 12}},
            versions=HERE,
            says="generation_batch_size 12 is not a multiple of num_generations 8",
            fixed={"run.json": {**RUN, "generation_batch_size": 16}},
        ),
        Bad(
            {"run.json": {**RUN, "gradient_accumulation_steps": 4}},
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
            says="2 completions (per_device_train_batch_size 2 x 1 process) are not a multiple",
            fixed={
                "run.json": {
                    **RUN,
                    "gradient_accumulation_steps": 4,
                    "per_device_train_batch_size": 8,
                }
            },
        ),
        Bad({"run.json": {**RUN, "num_generations": 1}}, says="a group has at least 2"),
        Good({"run.json": {**RUN, "gradient_accumulation_steps": 4}}, versions=HERE),
        Bad(
            {"run.json": {**RUN, "num_processes": 4}},
            versions=HERE,
            says="the trl command refuses this: 6 completions",
            fixed={"run.json": {**RUN, "num_processes": 4, "gradient_accumulation_steps": 4}},
        ),
        Bad(
            {"run.json": {**RUN, "num_processes": 4}},
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
            says="the trl command refuses this: 6 completions",
            severity="warning",
            fixed={"run.json": {**RUN, "num_processes": 4, "gradient_accumulation_steps": 4}},
        ),
        Good(
            {"run.json": {**RUN, "num_processes": 4}},
            versions={"trl": "0.29.1", "transformers": "5.0.0"},
        ),
        Good({"run.json": {"trainer": "grpo"}}, versions=HERE),
        Good(_of_ray(4), "job.sh", versions=HERE),
        Bad(
            {"run.json": {**RUN, "num_processes": None}},
            versions=HERE,
            says="the trl command refuses this: 6 completions",
            severity="warning",
            fixed={"run.json": {**RUN, "num_processes": None, "gradient_accumulation_steps": 4}},
        ),
        Bad(
            {"run.json": {**RUN, "num_processes": None}},
            versions={"trl": "0.29.1", "transformers": "5.0.0"},
            says="this does not work with every number of processes; with one, 6 completions",
            severity="warning",
        ),
        Good({"run.json": RUN}, versions={"trl": "0.14.0", "transformers": "4.48.3"}),
        Good(
            {"run.json": {**RUN, "num_generations": 2, "generation_batch_size": 3}},
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
        ),
    ),
)
