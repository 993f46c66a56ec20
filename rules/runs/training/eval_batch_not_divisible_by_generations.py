"""The evaluation batch does not hold whole groups.

GRPO and RLOO also generate num_generations completions for each prompt of an evaluation. TRL
refuses other sizes when the run starts; trl 0.20 and 0.21 fail at the first evaluation instead,
hours into the run.

Remedy: make per_device_eval_batch_size x processes a multiple of num_generations, or of
num_generations_eval if the release has it. For the `trl` command of trl 1.0 and newer count one
process: it makes the config before it starts the others.

Versions: checked at the start from trl 0.15.0 to 0.19.1 and from 0.22.0 on. num_generations_eval
came with 0.26.0, which still checks num_generations and fails at the first evaluation.

Seen: reproduced with trl 0.20.0 and 0.21.0: "RuntimeError: shape '[-1, 8]' is invalid for input of
size 4" at the first evaluation; trl 0.24.0 and 1.16.0: "The global eval batch size (4 * 1) must be
divisible by …".
"""

from collections.abc import Iterator
from math import lcm

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.first_process import first_process
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.batches import (
    MOST_PROCESSES,
    OWN_EVALUATION,
    UNCHECKED,
    Sizes,
    evaluation_keys,
    evaluation_refused,
    fitting_per_device,
    only_for,
    process_count,
    sizes,
)
from trl_doctor.facts.training.evaluating import evaluates


def check(facts: Facts) -> Iterator[Finding]:
    run_sizes, processes = sizes(facts), facts.run.processes
    if not _evaluates(facts):
        raise NotConcerned("the run does not evaluate (eval_strategy)")
    counts = [processes] if processes else list(range(1, MOST_PROCESSES + 1))
    good = [count for count in counts if not evaluation_refused(run_sizes, count)]
    first = first_process(facts) if evaluation_refused(run_sizes, 1) and good else None
    if len(good) == len(counts) and first is None:
        return
    if processes is None and 1 in good:
        raise Unavailable(only_for(good))
    count = processes if processes and first is None else 1
    reason = evaluation_refused(run_sizes, count)
    late = UNCHECKED[0] <= run_sizes.release < UNCHECKED[1]
    late |= run_sizes.release < OWN_EVALUATION and bool(run_sizes.num_generations_eval)
    evidence = [f"{process_count(count)}: {facts.run.processes_from}"]
    if first is not None:
        reason, evidence = f"the trl command refuses this: {reason}", [first.why]
    elif processes is None:
        reason = f"this does not work with every number of processes; with one, {reason}"
        evidence = [f"the number of processes is not known; {only_for(good)}"]
    evidence += [f"trl {run_sizes.release} fails at the first evaluation, not at the start"] * late
    key = "per_device_eval_batch_size"
    place_key = key if key in facts.run.arguments else "num_generations"
    place = facts.run.place(place_key) if place_key in facts.run.arguments else facts.run.place()
    value = _fitting(run_sizes, count)
    edit = Put(place.file, pointer(key), value)
    # evaluating takes less memory than training on as many completions
    safe = value <= run_sizes.per_device_train_batch_size
    fix = Fix(f"set {key} to {value}", (edit,), safe)
    certain = processes is not None and not facts.run.processes_assumed
    certain = certain if first is None else first.certain
    yield Finding(place, reason, tuple(evidence), fix, None if certain else "warning")


def _evaluates(facts: Facts) -> bool:
    strategy = facts.run.arguments.get("eval_strategy")
    strategy = facts.run.arguments.get("evaluation_strategy") if strategy is None else strategy
    return evaluates(strategy)


def _fitting(run_sizes: Sizes, processes: int) -> int:
    generations = lcm(*(getattr(run_sizes, key) for key in evaluation_keys(run_sizes)))
    return fitting_per_device(run_sizes.per_device_eval_batch_size, generations, processes)


RUN: dict[str, Json] = {
    "trainer": "grpo",
    "num_generations": 8,
    "per_device_train_batch_size": 8,
    "per_device_eval_batch_size": 4,
    "eval_strategy": "steps",
    "num_processes": 1,
}
HERE = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=HERE,
            says="4 completions (per_device_eval_batch_size 4 x 1 process) are not a multiple of "
            "num_generations 8",
            fixed={"run.json": {**RUN, "per_device_eval_batch_size": 8}},
        ),
        Bad(
            {"run.json": {**RUN, "num_generations_eval": 3}},
            versions=HERE,
            says="not a multiple of num_generations_eval 3",
            fixed={"run.json": {**RUN, "num_generations_eval": 3, "per_device_eval_batch_size": 6}},
        ),
        Bad(
            {"run.json": {**RUN, "num_processes": 3}},
            versions={"trl": "0.21.0", "transformers": "4.57.6"},
            says="12 completions (per_device_eval_batch_size 4 x 3 processes)",
            fixed={"run.json": {**RUN, "num_processes": 3, "per_device_eval_batch_size": 8}},
        ),
        Good({"run.json": {**RUN, "num_generations_eval": 2}}, versions=HERE),
        Good({"run.json": {**RUN, "eval_strategy": "no"}}, versions=HERE),
        Bad(
            {"run.json": {**RUN, "num_processes": 2}},
            versions=HERE,
            says="the trl command refuses this: 4 completions",
            fixed={"run.json": {**RUN, "num_processes": 2, "per_device_eval_batch_size": 8}},
        ),
        Good(
            {"run.json": {**RUN, "num_processes": 2}},
            versions={"trl": "0.29.1", "transformers": "5.0.0"},
        ),
        Bad(
            {"run.json": {**RUN, "num_processes": None}},
            versions={"trl": "0.29.1", "transformers": "5.0.0"},
            says="this does not work with every number of processes; with one, 4 completions",
            severity="warning",
            fixed={"run.json": {**RUN, "num_processes": None, "per_device_eval_batch_size": 8}},
        ),
        Good(
            {
                "run.json": {
                    **RUN,
                    "num_processes": None,
                    "per_device_eval_batch_size": 2,
                    "num_generations": 2,
                }
            },
            versions=HERE,
        ),
    ),
)
