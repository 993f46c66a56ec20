"""The run takes no training step.

The data set has fewer rows than one batch needs, and the trainer drops incomplete batches; or the
run has zero epochs or steps. TRL reports "Training completed" without a step, or fails before its
first step. PPO looks for a batch forever.

Remedy: make the batch (in GRPO also `steps_per_generation`) smaller or the data set larger. PPO,
GRPO and RLOO always drop incomplete batches: of PPO, set `per_device_train_batch_size` to at most
the number of rows. Other trainers also train on them with `dataloader_drop_last: false`.

Versions: GRPO and RLOO drop prompts that do not fill a generation batch from trl 0.19.1 on (0.15.2
does not, the releases between were not tested), PPO in all releases; the others only with
`dataloader_drop_last: true`. `max_steps: 0` counts from transformers 4.51.3 on; 4.48.3 takes the
epochs instead (the releases between were not tested). A rehearsal draws a batch of the run: it also
sees rows that packing joins to fewer than a batch, and a `get_train_dataloader` of the script's own
that drops the only one.

Seen: reproduced with trl 1.16.0 and 0.24.0: 8 rows, batch size 16 and dataloader_drop_last, `trl
sft`: "args. max_steps must be set to a positive value if dataloader does not have a length", with
`max_steps: 3` "Training completed" after no step; GRPO with 3 prompts and a batch of 8 does the
same. With `num_train_epochs: 0`, `max_steps: 0` or `gradient_accumulation_steps: -1` SFT saves the
model unchanged; so does GRPO of 0.19.1, 0.24.0 and 1.16.0 with `num_iterations: 0`. PPO of 0.12.2
with one row and a batch of 4 used the processor until it was killed.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.measured.data import count
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.model.ppo import process_batch, release
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.training.batches import EXACT, process_count, sizes

COUNTS_ZERO = Version("4.51.3")
"""The first transformers known to train nothing with `max_steps: 0`, in place of all epochs."""

GROUPS = ("grpo", "rloo")
MAKES_BATCH = ("generation_batch_size", "steps_per_generation")
"""Arguments that a user may not know to ask for more prompts at once."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if run.target.kind == "model":
        raise NotConcerned("the target is a model folder")
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    no_other_program(facts)
    ppo = run.trainer.name == "ppo"
    tried = facts.get(rehearsal)
    if tried and tried.mistakes_of("every column removed"):
        return  # data-columns-all-removed says why there are no rows
    if tried and tried.training_rows and tried.training_rows.rows == 0:
        yield Finding(run.place("datasets"), "train_dataset has no rows when training starts",
                      remedy="let `filter` keep some rows: look at what it tests")  # fmt: skip
        return
    for mistake in tried.mistakes_of("no batch")[:1] if tried else ():
        given, batch = mistake.words
        counts = f"rows of train_dataset: {given}, rows of a batch: {batch}"
        message = f"the training has no batch: {counts}"
        yield Finding(run.place("datasets"), message)
        return
    key = None if ppo else _trains_nothing(facts)
    if key:
        place, value = run.place(key), run.number(key)
        yield Finding(place, f"{key} is {value:g}: the run trains nothing")
        return
    rows_needed, reason = _of_ppo(facts) if ppo else _rows_needed(facts, run.trainer.name in GROUPS)
    rows = count(facts)
    if rows < rows_needed:
        key = "datasets" if run.arguments.get("datasets") else "dataset_name"
        message = f"the {rows} rows of the data set are too few for a training step: {reason}"
        yield Finding(run.place(key), message, remedy=_smaller(facts, rows, rows_needed, ppo=ppo))


def _trains_nothing(facts: Facts) -> str | None:
    """The argument whose number leaves no step."""
    run, transformers = facts.run, facts.environment.version("transformers")
    steps, epochs = run.number("max_steps"), run.number("num_train_epochs")
    if (run.number("gradient_accumulation_steps") or 1) < 0:
        return "gradient_accumulation_steps"
    if known_trainer(facts) in GROUPS and run.number("num_iterations") == 0:
        return "num_iterations"
    if steps == 0 and transformers and transformers >= COUNTS_ZERO:
        return "max_steps"
    return "num_train_epochs" if epochs is not None and epochs <= 0 >= (steps or -1) else None


def _rows_needed(facts: Facts, groups: bool) -> tuple[int, str]:
    """The number of rows that one step needs, and why. Raises `NotConcerned` if one is enough."""
    run = facts.run
    processes = run.processes or 1
    if not groups:
        if not run.flag("dataloader_drop_last"):
            raise NotConcerned("incomplete batches are used for training")
        if run.flag("packing"):
            raise NotConcerned("packed rows are joined")
        batch = int(run.number("per_device_train_batch_size", 8) or 8)
        reason = (
            f"dataloader_drop_last drops a batch smaller than {batch} x {process_count(processes)}"
        )
        return batch * processes, reason
    run_sizes = sizes(facts)
    if run_sizes.release < EXACT:
        raise NotConcerned(f"trl {run_sizes.release} fills incomplete batches")
    if run_sizes.num_generations < 1:
        raise Unavailable("num_generations is 0")
    prompts = run_sizes.generation_batch(processes) // run_sizes.num_generations
    key = next((key for key in MAKES_BATCH if run.arguments.get(key) is not None), None)
    because = f", because {key} is {run.arguments[key]}" if key else ""
    return prompts, f"a step needs {prompts} prompts ({process_count(processes)}){because}"


def _smaller(facts: Facts, rows: int, needed: int, *, ppo: bool) -> str:
    """The remedy of PPO, which drops incomplete batches whatever the run sets; else the page's."""
    if not ppo:
        return ""
    size = int(facts.run.number("per_device_train_batch_size", 8) or 8)
    others = max(1, needed // size)
    if rows < others:
        return f"make the data set larger: a batch of one row for each device needs {others} rows"
    return f"set per_device_train_batch_size to at most {rows // others}"


def _of_ppo(facts: Facts) -> tuple[int, str]:
    """The rows of one batch: PPO drops a smaller one, and looks for the next."""
    rows = process_batch(facts, release(facts))
    return rows, f"PPOTrainer looks for a batch of {rows} forever"


ROW = '{"text": "The sea was calm."}\n'
PROMPT = '{"prompt": "Why?"}\n'
SFT: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "m",
    "dataset_name": "data",
    "dataloader_drop_last": True,
}
GRPO: dict[str, Json] = {
    "trainer": "grpo",
    "model_name_or_path": "m",
    "dataset_name": "data",
    "per_device_train_batch_size": 16,
    "num_generations": 2,
}
PPO: dict[str, Json] = {
    "trainer": "ppo",
    "model_name_or_path": "m",
    "dataset_name": "data",
    "per_device_train_batch_size": 2,
}


def _files(run: dict[str, Json], rows: str) -> dict[str, Json]:
    return {"run.json": run, "data/train.jsonl": rows}


TRL = {"trl": "1.16.0"}


OF_GROUPS = (
    Bad(
        _files({**GRPO, "max_steps": 3}, PROMPT * 3),
        versions=TRL,
        says="a step needs 8 prompts (1 process)",
    ),
    Bad(
        _files({**GRPO, "steps_per_generation": 4}, PROMPT * 3),
        versions=TRL,
        says="a step needs 32 prompts (1 process), because steps_per_generation is 4",
    ),
)
OF_NUMBERS = (
    Bad(
        _files({**GRPO, "num_iterations": 0}, PROMPT * 9), versions=TRL, says="num_iterations is 0"
    ),
    Bad(
        _files({**SFT, "max_steps": 0}, ROW * 9),
        versions={**TRL, "transformers": "4.57.6"},
        says="max_steps is 0: the run trains nothing",
    ),
    Bad(
        _files({**SFT, "gradient_accumulation_steps": -1}, ROW * 9),
        versions=TRL,
        says="gradient_accumulation_steps is -1: the run trains nothing",
    ),
    Good(_files({**SFT, "max_steps": 0}, ROW * 9), versions={**TRL, "transformers": "4.48.3"}),
)


def _of_rehearsals() -> Iterator[Bad]:
    from trl_doctor.probes.answers.rehearse import RehearsalMistake, TrainingRows

    from ..._recorded.rehearsal import rehearsed

    for answers, says in (
        (rehearsed(training_rows=TrainingRows(rows=0)), "train_dataset has no rows when"),
        (
            rehearsed(mistakes=(RehearsalMistake("no batch", ("1", "4")),)),
            "the training has no batch: rows of train_dataset: 1, rows of a batch: 4",
        ),
    ):
        yield Bad(_files(SFT, ROW), versions=TRL, level="rehearsal", answers=answers, says=says)


def examples() -> Examples:
    return (
        Bad(_files(SFT, ROW * 7), versions=TRL, says="the 7 rows of the data set are too few"),
        *OF_GROUPS,
        Bad(
            _files({**SFT, "num_train_epochs": 0}, ROW * 9),
            versions=TRL,
            says="num_train_epochs is 0: the run trains nothing",
        ),
        *OF_NUMBERS,
        Bad(
            _files({**PPO, "gradient_accumulation_steps": 2}, PROMPT * 3),
            versions={"trl": "1.12.0"},
            says="PPOTrainer looks for a batch of 4 forever",
        ),
        Bad(
            _files({**PPO, "num_mini_batches": 4}, PROMPT * 7),
            versions={"trl": "0.12.2"},
            says="PPOTrainer looks for a batch of 8 forever",
        ),
        *_of_rehearsals(),
        Good(_files(PPO, PROMPT * 2), versions={"trl": "1.12.0"}),
        Good(_files(SFT, ROW * 8), versions=TRL),
        Good(_files({**SFT, "dataloader_drop_last": False}, ROW), versions=TRL),
        Good(_files(GRPO, PROMPT * 8), versions=TRL),
        Good(
            _files({**GRPO, "dataset_name": "a/b"}, PROMPT), versions=TRL, skipped="how many rows"
        ),
    )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="StopIteration|num_samples|dataloader does not have a length",
    examples=examples,
)
