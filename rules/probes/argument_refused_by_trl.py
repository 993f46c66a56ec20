"""TRL refuses the run's arguments.

The arguments were given to the real parser and config class of the installed trl, and the objects
that the trainer builds first were built: reporters, optimizer, learning rate schedule. One of them
raised an error, and the job will raise it on every node. If this machine has no GPU, a GPU with
bf16 and tf32 is assumed.

Remedy: use a value that the message names, or remove the key.

Versions: any; the rule uses the installed release.

Seen: reproduced with trl 1.16.0 and transformers 5.23.0, and trl's own command failed with each:
"stepz is not a valid IntervalStrategy", "cosin is not a valid SchedulerType", "wandbb is not
supported"; it failed as well with `fp16` and `bf16` together, with `accelerator_config:
{split_batch: true}`, and with `lr_scheduler_type: cosine_with_min_lr` without
`lr_scheduler_kwargs`.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.library import releases
from trl_doctor.facts.measured.config import config
from trl_doctor.facts.rule import Answers, Bad, Good, Rule
from trl_doctor.probes.answers.config import ConfigAnswer
from trl_doctor.probes.answers.error import Error

from .._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from .._recorded.libraries import IMPORTS
from .._recorded.runs import recorded


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.target.kind == "model":
        raise NotConcerned("a model folder has no arguments")
    no_other_program(facts)
    answer = facts[config].measured()
    raised = answer.raised
    if raised is None or raised.contained:
        return
    if LAZY in raised.message:
        raise Unavailable(f"TRL's script cannot be imported: {raised.line}")
    first = " ".join(raised.message.split())
    release = f"trl {facts.environment.version('trl')}"
    of = release
    if answer.config == releases.ARGUMENTS:
        of = f"transformers {facts.environment.version('transformers')}"
    refusal = f"{answer.config} of {of} refuses the arguments"
    if answer.part == "launcher":
        message = f"accelerate launch refuses an argument of the run: {excerpt(first, 300)}"
    elif raised.type == "ParserExits":
        message = f"the command line of {release} refuses the arguments: {excerpt(first, 300)}"
    else:
        message = f"{PARTS.get(answer.part, refusal)}: {raised.type}: {excerpt(first, 300)}"
    yield Finding(
        _place(facts, first, answer.part),
        message,
        tuple(f"a GPU with {name} was assumed" for name in answer.pretended),
        remedy=_remedy(answer.config, first),
        follows=(*(NOT_TAKEN if UNEXPECTED.search(first) else ()), *CAUSES),
        error=first,
    )


LAZY = "because of the following error"
"""What TRL says where one of its modules cannot be imported: no argument is at fault."""
UNEXPECTED = re.compile(r"unexpected keyword argument|unrecognized arguments")
NOT_TAKEN = ("argument-gone-from-trl", "argument-unknown", "argument-for-doctor-only")
CAUSES = (
    "argument-of-wrong-type",
    "argument-text-not-converted",
    "argument-is-no-whole-number",
    "argument-is-none",
    "argument-object-refused",
    "argument-schedule-refused",
    "argument-refused-by-optimizer",
    "argument-word-unknown",
    "argument-two-precisions",
    "batch-not-divisible-by-generations",
    "package-not-installed",
    "gpu-without-bf16",
)


def _remedy(config: str, error: str) -> str:
    """What to write instead of an argument that the config class does not take."""
    match = re.search(r"unexpected keyword argument '(\w+)'", error)
    if not match:
        return ""
    new = releases.replacement(config, match[1])
    return f"write {new.use} instead of {match[1]}" if new and new.use else f"remove {match[1]}"


PARTS = {
    "reporters": "the reporter of the run cannot be created",
    "optimizer": "the optimizer cannot be created",
    "schedule": "the learning rate schedule cannot be created",
    "compiler": "torch.compile refuses its backend or mode",
}
KEYS = {
    "reporters": ("report_to",),
    "optimizer": ("optim", "optim_args", "learning_rate"),
    "schedule": ("lr_scheduler_type", "lr_scheduler_kwargs", "warmup_steps", "warmup_ratio"),
    "compiler": ("torch_compile_backend",),
}
"""The arguments that each part is built from, likeliest first."""


def _place(facts: Facts, text: str, part: str) -> Place:
    """The argument that the error names, or whose value or key it repeats, or one of the part that
    failed."""
    arguments = facts.run.arguments
    by_value = [
        name for name, value in arguments.items() if isinstance(value, str) and value in text
    ]
    by_name = sorted((name for name in arguments if re.search(rf"\b{name}\b", text)), key=len)[-1:]
    of_part = [name for name in KEYS.get(part, ()) if name in arguments]
    by_key = [
        name
        for name, value in arguments.items()
        if isinstance(value, dict) and any(f"'{key}'" in text for key in value)
    ]
    if part == "reporters":
        return facts.run.place("report_to")
    return facts.run.place(*(by_value or by_name or by_key or of_part)[:1])


def _raised(message: str, part: str = "config") -> Answers:
    error = Error("ValueError", message)
    return {**IMPORTS, "config": ConfigAnswer("GRPOConfig", error, part, ("bf16",))}


WELL: Answers = {**IMPORTS, "config": recorded("grpo", "config", ConfigAnswer)}
STEPZ = "stepz is not a valid IntervalStrategy, please select one of ['no', 'steps', 'epoch']"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate({**RUN, "eval_strategy": "stepz"}, TOKENIZER, CONFIG),
            versions={"trl": "1.16.0"},
            answers=_raised(STEPZ),
            says="GRPOConfig of trl 1.16.0 refuses the arguments: ValueError: stepz is not a",
        ),
        Bad(
            candidate({**RUN, "report_to": "wandbb"}, TOKENIZER, CONFIG),
            versions={"trl": "1.16.0"},
            answers=_raised("wandbb is not supported, only ...", part="reporters"),
            says="wandbb is not supported",
        ),
        Bad(
            candidate({**RUN, "lr_scheduler_type": "cosine_with_min_lr"}, TOKENIZER, CONFIG),
            versions={"trl": "1.16.0"},
            answers=_raised("One of min_lr or min_lr_rate should be set", part="schedule"),
            says="the learning rate schedule cannot be created: ValueError: One of min_lr",
        ),
        Bad(
            candidate({**RUN, "warmup_ratio": 0.1}, TOKENIZER, CONFIG),
            versions={"trl": "1.16.0"},
            answers=_raised("__init__() got an unexpected keyword argument 'warmup_ratio'"),
            says="unexpected keyword argument 'warmup_ratio'",
        ),
        Bad(
            candidate({**RUN, "mixed_precision": "fp7"}, TOKENIZER, CONFIG),
            versions={"trl": "1.16.0"},
            answers=_raised("invalid choice: 'fp7' (choose from no, fp16)", part="launcher"),
            says="accelerate launch refuses an argument of the run: invalid choice: 'fp7'",
        ),
        Good(candidate(RUN, TOKENIZER, CONFIG), versions={"trl": "1.16.0"}, answers=WELL),
    ),
)
