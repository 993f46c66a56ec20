"""How GRPO and RLOO divide batches into groups of completions, in each release of TRL."""

from collections.abc import Sequence
from math import lcm

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.library import accepted, releases

COMPLETIONS = Version("0.15.0")
"""From this release on batch sizes count completions; before, prompts."""
ACCUMULATED = Version("0.17.0")
"""From this release on the batches of one optimizer step form groups together."""
EXACT = Version("0.19.1")
"""From this release on generation_batch_size must be a multiple of the global batch."""
UNCHECKED = Version("0.20.0"), Version("0.22.0")
"""From the first to the second release the evaluation batch is not checked, and fails later."""
OWN_EVALUATION = Version("0.26.1")
"""From this release on num_generations_eval replaces num_generations in that check."""
NEW_RLOO = Version("0.22.0")
OLD_RLOO_KEYS = ("rloo_k", "num_mini_batches")
MOST_PROCESSES = 256


class Sizes(Struct, frozen=True):
    """The arguments that determine batch sizes, under TRL's names; `release` is the trl release."""

    release: Version
    per_device_train_batch_size: int = 8
    gradient_accumulation_steps: int = 1
    num_generations: int = 8
    steps_per_generation: int | None = None
    generation_batch_size: int | None = None
    per_device_eval_batch_size: int = 8
    num_generations_eval: int | None = None

    def generation_batch(self, processes: int) -> int:
        """The number of completions that are generated at once, over all processes."""
        if self.generation_batch_size is not None:
            return self.generation_batch_size
        return self.global_batch(processes) * self.steps

    def global_batch(self, processes: int) -> int:
        """The number of completions in one forward pass, over all processes."""
        return self.per_device_train_batch_size * processes

    @property
    def steps(self) -> int:
        """How many forward passes use the completions that are generated at once."""
        if self.release < ACCUMULATED:
            return 1
        return self.steps_per_generation or self.gradient_accumulation_steps

    @property
    def steps_key(self) -> str:
        """The argument that `steps` comes from."""
        return (
            "steps_per_generation" if self.steps_per_generation else "gradient_accumulation_steps"
        )


def training_refused(sizes: Sizes, processes: int) -> str:
    """Why this release refuses to train with these sizes; "" if it accepts them."""
    if sizes.generation_batch_size is not None and sizes.steps_per_generation is not None:
        return (
            "generation_batch_size and steps_per_generation are both set, but "
            "each determines the other"
        )
    if sizes.num_generations < 2:
        return f"num_generations is {sizes.num_generations}, but a group has at least 2 completions"
    batch, global_batch = sizes.generation_batch(processes), sizes.global_batch(processes)
    shown = process_count(processes)
    counted = f"per_device_train_batch_size {sizes.per_device_train_batch_size} x {shown}"
    divisor = global_batch if sizes.release >= EXACT else sizes.per_device_train_batch_size
    if batch % divisor:
        return f"generation_batch_size {batch} is not a multiple of {divisor} ({counted})"
    if batch % sizes.num_generations == 0:
        return ""
    if sizes.generation_batch_size is None:
        counted += "" if sizes.release < ACCUMULATED else f" x {sizes.steps_key} {sizes.steps}"
        subject = f"{batch} completions ({counted}) are"
    else:
        subject = f"generation_batch_size {batch} is"
    return f"{subject} not a multiple of num_generations {sizes.num_generations}"


def evaluation_refused(sizes: Sizes, processes: int) -> str:
    """Why this release refuses to evaluate with these sizes; "" if it accepts them."""
    batch = sizes.per_device_eval_batch_size * processes
    for key in evaluation_keys(sizes):
        if batch % (generations := getattr(sizes, key)):
            counted = f"{sizes.per_device_eval_batch_size} x {process_count(processes)}"
            return (
                f"{batch} completions (per_device_eval_batch_size {counted}) "
                f"are not a multiple of {key} {generations}"
            )
    return ""


def evaluation_keys(sizes: Sizes) -> tuple[str, ...]:
    """The arguments that the evaluation batch must be a multiple of."""
    if not sizes.num_generations_eval:
        return ("num_generations",)
    if sizes.release >= OWN_EVALUATION:
        return ("num_generations_eval",)
    return ("num_generations", "num_generations_eval")


def fitting_steps(sizes: Sizes, processes: int) -> int:
    """The fewest steps, not fewer than now, that give whole groups."""
    group = lcm(sizes.global_batch(processes), sizes.num_generations)
    return _next(sizes.steps, group // sizes.global_batch(processes))


def fitting_batch(sizes: Sizes, processes: int) -> int:
    """The smallest generation batch, not smaller than now, that gives whole groups."""
    group = lcm(sizes.global_batch(processes), sizes.num_generations)
    return _next(sizes.generation_batch(processes), group)


def fitting_per_device(per_device: int, generations: int, processes: int) -> int:
    """The smallest batch size per process, not smaller than now, that gives whole groups."""
    return _next(per_device, lcm(processes, generations) // processes)


def only_for(counts: Sequence[int]) -> str:
    """Why a rule that needs the number of processes is skipped."""
    if not counts:
        return "the sizes do not fit any number of processes"
    return (
        f"it works with {some_counts(counts)}: "
        "name the number (--processes, or num_processes in the run file)"
    )


def some_counts(counts: Sequence[int]) -> str:
    """The first three numbers of processes, in words."""
    if len(counts) == 1:
        return process_count(counts[0])
    shown = ", ".join(str(count) for count in counts[:3])
    return f"{shown}{', …' if len(counts) > 3 else ''} processes"


def sizes(facts: Facts) -> Sizes:
    """The batch sizes of the run.

    Raises `NotConcerned` for trainers without groups, `Unavailable` for values that are not known.
    """
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    if run.file is None:
        raise NotConcerned("a model folder has no batch sizes")
    no_other_program(facts)
    if run.script.replaced_by:
        raise Unavailable(
            f"{run.script.replaced_by} replaces TRL's classes, and may change the sizes"
        )
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    release = facts.environment.version("trl") or releases.newest_release()
    if run.trainer.name not in ("grpo", "rloo"):
        raise NotConcerned(f"only GRPO and RLOO group completions; this run is {run.trainer.name}")
    if release < (COMPLETIONS if run.trainer.name == "grpo" else NEW_RLOO):
        raise NotConcerned(f"batch sizes of {run.trainer.trainer} count prompts in trl {release}")
    fields = accepted(facts.environment, run.trainer).fields
    if old := [key for key in OLD_RLOO_KEYS if key in run.arguments and key in fields]:
        raise Unavailable(f"{old[0]} sets the sizes too: write num_generations instead")
    open_keys = [key for key in OPEN if not fields or key in fields]
    numbers = {key: _count(facts, key) for key in (*WHOLE, *open_keys)}
    known_numbers = {key: number for key, number in numbers.items() if number is not None}
    return Sizes(release, **known_numbers)


WHOLE = (
    *("per_device_train_batch_size", "gradient_accumulation_steps", "num_generations"),
    "per_device_eval_batch_size",
)
OPEN = ("steps_per_generation", "generation_batch_size", "num_generations_eval")


def _count(facts: Facts, key: str) -> int | None:
    """A whole number from the run file, else the default of the target's release."""
    value: object = facts.run.number(key)
    stated = facts.run.arguments.get(key)
    if stated is None:
        if key in OPEN or isinstance(facts.run.trainer, Unavailable):
            return None
        field = accepted(facts.environment, facts.run.trainer).fields.get(key)
        value = field.literal if field else None
    minimum = 0 if key in ("num_generations", "num_generations_eval") else 1
    if not isinstance(value, int | float) or value != int(value) or value < minimum:
        raise Unavailable(f"{key} is {stated!r}, not a whole number")
    return int(value)


def _next(minimum: int, step: int) -> int:
    return -(-minimum // step) * step


def process_count(processes: int) -> str:
    """The number of processes, in words."""
    return f"{processes} process" + ("es" if processes > 1 else "")
