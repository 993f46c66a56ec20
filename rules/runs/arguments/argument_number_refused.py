"""TRL, transformers or torch refuse a number.

A count is 0 or negative, or a share is outside of its range: the run ends with an error. Often this
is after the model was loaded, or at the first completions: "Seed must be between 0 and 2**32 - 1",
"`top_k` has to be a strictly positive integer, but is -1".

Remedy: write a number that the finding names, or remove the argument.

Versions: every release that has the argument. Without vLLM `top_k` has to be above 0 or left out;
vLLM takes -1. A `temperature` of 0 is refused by generation in most releases of transformers. Where
it is not (4.57, and vLLM), GRPO and RLOO divide the logits by it: the loss is logged as 0, and all
weights are nan after the first step. RLOO before trl 0.22.0 adds a little to it, and trains.

Seen: each number was tried with SFT or GRPO of trl 0.12.2 to 1.16.0 and transformers 4.46.3 to
5.23.0, where they have the argument: seven pairs of releases, and each run ends with an error. With
`temperature: 0` GRPO of trl 0.24.0 with transformers 4.57.6 goes on to its end: loss 0, grad_norm
nan, and 20 of 20 weight tensors are nan. `per_device_eval_batch_size: 0` with an evaluation: SFT of
trl 0.14.0, 0.19.1, 0.24.0 and 1.16.0.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import Run
from trl_doctor.facts.run_trainer import known_trainer, trl_of

SEEDS = 2**32


class Limit(Struct, frozen=True):
    """Numbers of an argument that are refused, what is taken, and the trainers that have it."""

    key: str
    wrong: Callable[[float], bool]
    taken: str
    trainers: tuple[str, ...] = ()


def below(least: float) -> Callable[[float], bool]:
    return lambda value: value < least


GROUPS = ("grpo", "rloo")
COUNT = "1 or more"
HEAT, GROUPED = "temperature", Version("0.22.0")
"""RLOO of earlier releases adds a little to its temperature."""
DIVIDED = ("the logits are divided by it: where generation takes it, all weights become nan",)
LIMITS = (
    Limit("seed", lambda seed: not 0 <= seed < SEEDS or seed % 1 != 0, "0 to 2**32 - 1"),
    Limit("per_device_train_batch_size", below(1), COUNT),
    Limit("gradient_accumulation_steps", lambda steps: steps == 0, COUNT),
    Limit("dataloader_num_workers", below(0), "0 or more"),
    Limit("warmup_steps", below(0), "0 or more"),
    Limit("torch_empty_cache_steps", lambda steps: steps == 0, COUNT),
    Limit("neftune_noise_alpha", below(0), "0 or more, usually 5 to 15"),
    Limit("max_length", lambda length: length == 0, COUNT, ("sft",)),
    Limit("max_seq_length", lambda length: length == 0, COUNT, ("sft",)),
    Limit("num_generations", below(0), "2 or more", GROUPS),
    Limit("max_completion_length", below(1), COUNT, GROUPS),
    Limit("num_iterations", below(0), COUNT, GROUPS),
    Limit("steps_per_generation", below(1), COUNT, GROUPS),
    Limit("generation_batch_size", below(1), "a multiple of num_generations", GROUPS),
    Limit(HEAT, lambda heat: heat <= 0, "a number above 0, usually 0.7 to 1", GROUPS),
    Limit("top_p", below(0), "a number above 0, up to 1", GROUPS),
    Limit("min_p", lambda share: not 0 <= share <= 1, "0 to 1", GROUPS),
    Limit("repetition_penalty", lambda penalty: penalty <= 0, "a number above 0, usually 1",
          GROUPS),
)  # fmt: skip
STEPS = (
    ("logging_steps", "logging_strategy", "steps"),
    ("save_steps", "save_strategy", "steps"),
    ("eval_steps", "eval_strategy", "no"),
)
"""Arguments with a number of steps, the strategy with which they count, and its default."""


def check(facts: Facts) -> Iterator[Finding]:
    no_other_program(facts)
    trainer, run = known_trainer(facts), facts.run
    if run.target.kind == "model":
        raise NotConcerned("the target is a model folder")
    for limit in LIMITS:
        value = run.number(limit.key)
        concerned = not limit.trainers or trainer in limit.trainers
        if concerned and value is not None and limit.wrong(value):
            if limit.key == HEAT and trainer == "rloo" and (trl_of(facts) or GROUPED) < GROUPED:
                continue
            seen = DIVIDED if limit.key == HEAT and value == 0 else ()
            yield _finding(run, limit.key, f"is {value:.15g}: it has to be {limit.taken}", seen)
    if trainer in GROUPS and (run.number("top_k") or 0) < 0 and not run.flag("use_vllm"):
        yield _finding(
            run, "top_k", f"is {run.number('top_k'):g}: without vLLM it has to be {COUNT}"
        )
    size, strategy = run.number("per_device_eval_batch_size"), run.arguments.get("eval_strategy")
    if size is not None and size < 1 and strategy in ("steps", "epoch"):
        yield _finding(run, "per_device_eval_batch_size", f"is {size:g}: it has to be {COUNT}")
    yield from _steps(run)
    if run.number("dataloader_prefetch_factor") and not run.number("dataloader_num_workers"):
        yield _finding(run, "dataloader_prefetch_factor", "is set, and dataloader_num_workers is 0")


def _steps(run: Run) -> Iterator[Finding]:
    for key, strategy, usual in STEPS:
        value = run.number(key)
        if value is None or run.arguments.get(strategy, usual) != "steps":
            continue
        if value > 1 and value % 1 != 0:
            yield _finding(run, key, f"is {value:g}: above 1 it has to be a whole number")
        elif value == 0 and key == "logging_steps":
            yield _finding(run, key, f'is 0: with {strategy} "steps" it has to be {COUNT}')


def _finding(run: Run, key: str, problem: str, evidence: tuple[str, ...] = ()) -> Finding:
    return Finding(run.place(key), f"{key} {problem}", evidence)


def _files(trainer: str = "sft", **arguments: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": trainer, "model_name_or_path": "m", **arguments}}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=(
        r"Seed must be between|has to be a (strictly )?(positive|float)|must be greater than 0, but"
        r"|batch_size should be a positive integer|must be an integer if bigger than 1"
        r"|num_workers option should be non-negative|warmup_steps (must be|= -)"
        r"|can only be set when data is loaded in a different process|requires non-zero"
    ),
    examples=(
        Bad(_files(seed=-1), says="seed is -1: it has to be 0 to 2**32 - 1"),
        Bad(_files(save_steps=2.5), says="save_steps is 2.5: above 1 it has to be a whole number"),
        Bad(_files(logging_steps=0), says='logging_steps is 0: with logging_strategy "steps"'),
        Bad(
            _files(dataloader_prefetch_factor=2),
            says="dataloader_prefetch_factor is set, and dataloader_num_workers is 0",
        ),
        Bad(_files("grpo", top_k=-1), says="top_k is -1: without vLLM it has to be 1 or more"),
        Bad(_files("rloo", temperature=0.0), says="temperature is 0: it has to be a number above"),
        Bad(
            _files(per_device_eval_batch_size=0, eval_strategy="epoch"),
            says="per_device_eval_batch_size is 0: it has to be 1 or more",
        ),
        Good(_files(per_device_eval_batch_size=0)),
        Good(_files("rloo", temperature=0.0), versions={"trl": "0.19.1"}),
        Good(_files(seed=0, save_steps=0.5, eval_steps=2.5, logging_steps=1, warmup_steps=0)),
        Good(_files(save_strategy="no", save_steps=2.5, max_length=1, neftune_noise_alpha=0)),
        Good(_files("grpo", top_k=-1, use_vllm=True, temperature=0.7, top_p=0.9)),
        Good(_files("grpo", top_k=0, min_p=0.0, repetition_penalty=1.0, generation_batch_size=8)),
        Good(_files("dpo", temperature=0.0, dataloader_num_workers=2,
                    dataloader_prefetch_factor=2)),
    ),
)  # fmt: skip
