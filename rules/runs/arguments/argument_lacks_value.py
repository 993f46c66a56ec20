"""An option of the command line has no value.

TrlParser, HfArgumentParser and the `trl` command read the fields of the configs as options. A bare
option is true where its default is true or false. All others want a value, also those that may be
none: `bf16` of TRL's configs is one. The run ends at once: "argument --bf16: expected one
argument".

Remedy: write the value behind the option: `--bf16 true`.

Versions: every release. `bf16` wants a value where TRL's config has it with the default none: GRPO
of trl 0.24.0 and 1.16.0, not of 0.15.2.

Seen: reproduced with scripts for TrlParser and HfArgumentParser and with `trl grpo`, trl 0.24.0 and
1.16.0.
"""

import re
from collections.abc import Iterator, Sequence

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import accepted
from trl_doctor.facts.library.module import Field
from trl_doctor.facts.rule import Bad, Good, Rule

PARSERS = ("TrlParser", "HfArgumentParser")
MAY_BE_BARE = ("activation_checkpointing", "gradient_checkpointing", "fsdp")
"""Fields of transformers that take a bare option though their default is none."""
OWN_WORDS = re.compile(r"\bsys\.argv\b|\bparse_\w+\(\s*(args\b|\[|\w+[,)])")
"""A script that changes its command line, or gives its parser another one."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    words = _words(facts)
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    fields = accepted(facts.environment, run.trainer).fields
    file = None if isinstance(run.file, Unavailable) else run.file
    text = file.data.decode(errors="replace") if run.by_class and file else ""
    if OWN_WORDS.search(text):
        raise Unavailable("the script changes its command line")
    for option in bare(words):
        key = option.removeprefix("--").replace("-", "_")
        field = fields.get(key)
        if field is None or not _wants_value(field) or re.search(rf"^\s+{key}\s*:", text, re.M):
            continue
        place = run.place(key) if key in run.arguments else run.place()
        yield Finding(
            place,
            f"the command line gives {option} no value: the parser expects one argument",
            remedy=_remedy(option, field),
        )


def _words(facts: Facts) -> Sequence[str]:
    """The words of the command line that a parser of the libraries reads."""
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    if run.by_class and run.parser not in PARSERS:
        raise NotConcerned("no parser of TRL or transformers reads the run's options")
    if run.target.argv is not None:
        return run.target.argv
    if run.target.launch is None or not run.target.launch.command:
        raise NotConcerned("no command line is known")
    return [word.open or word.text for word in run.target.launch.words]


def bare(words: Sequence[str]) -> list[str]:
    """The options with nothing behind them: the end, or another option."""
    after = [*words[1:], "--"]
    return [
        word for word, next_word in zip(words, after, strict=bool(words))
        if re.fullmatch(r"--[A-Za-z][\w-]*", word) and next_word.startswith("--")
    ]  # fmt: skip


def _remedy(option: str, field: Field) -> str:
    """What to write; the type is known where trl is installed."""
    if "bool" in field.annotation:
        return f"write `{option} true`"
    switch = "" if field.annotation or field.literal is not None else ", `true` for a switch"
    return f"write a value behind {option}{switch}"


def _wants_value(field: Field) -> bool:
    """Whether a bare option of this field is refused."""
    if field.default is None or not field.init or field.name in MAY_BE_BARE:
        return False
    return field.default == "None" or (
        field.literal is not None and not isinstance(field.literal, bool)
    )


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
SCRIPT = """\
from trl import GRPOConfig, GRPOTrainer, TrlParser
(args,) = TrlParser((GRPOConfig,)).parse_args_and_config()
GRPOTrainer("org/m", args=args, reward_funcs=print)
"""
SLURM = "#!/bin/bash\n#SBATCH --gres=gpu:1\nsrun python train.py --output_dir out %s\n"


def _job(options: str, script: str = SCRIPT) -> dict[str, str]:
    return {"train.py": script, "job.sbatch": SLURM % options}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"expected (one|at least one) argument",
    examples=(
        Good({"job.sh": "trl grpo\n"}, "job.sh", versions=TRL),
        Bad(
            _job("--bf16 --num_generations 8"),
            "job.sbatch",
            versions=TRL,
            says="the command line gives --bf16 no value",
        ),
        Bad(_job("--learning-rate"), "job.sbatch", versions=TRL, says="--learning-rate no value"),
        Bad(
            {"job.sh": "trl grpo --model_name_or_path org/m --bf16 --output_dir out\n"},
            "job.sh",
            versions=TRL,
            says="the command line gives --bf16 no value",
        ),
        Good(_job("--bf16 true --fp16 --use_vllm"), "job.sbatch", versions=TRL),
        Good(_job("--bf16=true"), "job.sbatch", versions=TRL),
        Good(_job("--bf16 $FLAGS"), "job.sbatch", versions=TRL),
        Good(_job("--bf16"), "job.sbatch", versions={"trl": "0.15.2", "transformers": "4.48.3"}),
        Good(_job("--learning_rate -1 --max_steps 3"), "job.sbatch", versions=TRL),
        Good(_job("--fsdp --gradient_checkpointing"), "job.sbatch", versions=TRL),
    ),
)
