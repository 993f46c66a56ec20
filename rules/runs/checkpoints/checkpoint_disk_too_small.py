"""The checkpoints of the run do not fit on the disk.

Every checkpoint holds the weights and the optimizer's states: three times the size of the model if
all of it is trained. Without save_total_limit all checkpoints are kept, and the run fails while it
saves one, hours after it started.

Remedy: set save_total_limit or save_only_model, raise save_steps, or save to a larger disk.

Versions: any. With `--gpu` the sizes are those of the traced step. Without it they are read from
the weights; the disk of output_dir on this machine counts if the run's libraries are here.

Seen: reproduced with `python -m trl.scripts.sft`, trl 1.16.0, with an output_dir on a disk of 300
KiB: "No space left on device" at the second checkpoint, with 500 KiB an error of torch.save; with
50 MiB it trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.sizes import shown
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Examples, Files, Good, Rule
from trl_doctor.facts.surroundings import Surroundings, output_dir, this_machine
from trl_doctor.facts.totals import kept_checkpoints, rows_a_step, stored_checkpoint

from ..._recorded.candidate import weights


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if run.file is None or run.arguments.get("save_strategy") == "no":
        raise NotConcerned("the run saves no checkpoints")
    folder = output_dir(facts)
    if run.names_gpus:
        from trl_doctor.facts.forecast.duration import checkpoints
        from trl_doctor.facts.forecast.memory import forecast

        free, basis = run.machine.free_at(folder), "as the forecast traced them"
        size, number, reason = checkpoints(facts, facts[forecast])
    else:
        free = this_machine(facts).free_at(folder)
        size, basis = facts[stored_checkpoint]
        number, reason = kept_checkpoints(facts, rows_a_step(facts))
    if number is None and size <= free:
        raise Unavailable(f"the number of checkpoints that are kept is not known: {reason}")
    count = number or 1
    if size * count > free:
        subject = (
            f"{count} checkpoints of {shown(size)} take" if count > 1 else "one checkpoint takes"
        )
        yield Finding(
            run.place("save_total_limit"),
            f"{subject} {shown(size * count)}, and the disk of output_dir has {shown(free)} left",
            evidence=(f"one checkpoint: {shown(size)}, {basis}", f"kept: {reason}"),
        )


NEW = {"trl": "1.16.0", "transformers": "5.23.0"}
SAVED: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", "save_total_limit": 2}
STORED = weights(embed=(1024, 512))
SMALL: Files = {"run.json": SAVED, "m/config.json": {}, "m/model.safetensors": STORED}
MIB = 1024**2


def examples() -> Examples:
    from ..._recorded.fit import LARGE, RUN, TRACED

    return (
        Bad(
            {**LARGE, "run.json": {**RUN, "max_steps": 10**9}},
            versions=NEW,
            gpu="H100",
            answers=TRACED,
            says="10000000 checkpoints of 85.1 GiB take",
        ),
        Good(
            {**LARGE, "run.json": {**RUN, "save_strategy": "no"}},
            versions=NEW,
            gpu="H100",
            answers=TRACED,
        ),
        Good(
            {**LARGE, "run.json": {**RUN, "max_steps": None}},
            versions=NEW,
            gpu="H100",
            answers=TRACED,
            machine=Surroundings(free=10**12),
            skipped="how many steps the run has is not known",
        ),
        Bad(
            SMALL,
            machine=Surroundings(free=5 * MIB),
            says="2 checkpoints of 3 MiB take 6 MiB, and the disk of output_dir has 5 MiB left",
        ),
        Good(SMALL, machine=Surroundings(free=7 * MIB)),
        Good({**SMALL, "run.json": {**SAVED, "use_peft": True}}, machine=Surroundings(free=0)),
        Good(SMALL, skipped="no answers of probes"),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
