"""The script's own parser refuses its command line.

The script makes a parser with `argparse` and lists its options. The command line has one that is
not among them, or lacks one that is required. The script ends at once: "error: unrecognized
arguments", or "the following arguments are required".

Remedy: correct the option, add it to the script's parser, or give the one that is missing.

Versions: any. Not examined are parsers to which a library can add options, and command lines that
are only partly known.

Seen: MedicalGPT#206 is of this kind. Reproduced with argparse of Python 3.11.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if run.target.argv is None and not run.refused:
        raise NotConcerned("no command line is known")
    for sentence in run.refused:
        flag = sentence.name.removeprefix("does not know ").removeprefix("needs ").split(",")[0]
        remedy = f"add {flag} to the command line"
        if sentence.name.startswith("does not know"):
            remedy = f"remove {flag}, correct it, or add it to this parser"
        yield Finding(sentence.place, f"the script's parser {sentence.name}", remedy=remedy)


def _files(parsing: str) -> dict[str, str]:
    made = (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--model_name', required=True)\n"
        "parser.add_argument('--beta', type=float, default=0.1)\n"
        f"{parsing}\nfrom trl import DPOConfig, DPOTrainer\n"
        "DPOTrainer('org/m', args=DPOConfig('out'))\n"
    )
    return {"train.py": made}


def _given(*words: str) -> dict[str, str]:
    return _files(f"parser.parse_args({['--model_name', 'm', *words]})")


ADDED = "import deepspeed\ndeepspeed.add_config_arguments(parser)\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _given("--beta=0.2", "--use_peft", "true"),
            "train.py",
            says="the script's parser does not know --use_peft",
        ),
        Bad(
            _files("parser.parse_args(['--beta', '1'])"),
            "train.py",
            says="the script's parser needs --model_name, which is not given",
        ),
        Good(_given("--beta=0.2"), "train.py"),
        Good(_given("--be", "1"), "train.py"),
        Good(_files("parser.parse_known_args(['--x'])"), "train.py"),
        Good(_files(f"{ADDED}parser.parse_args(['--deepspeed'])"), "train.py"),
        Good(_files("parser.parse_args()"), "train.py"),
    ),
)
