"""The script's own parser refuses its command line.

The script makes a parser with `argparse` and lists its options. The command line has one that is
not among them, lacks one that is required, or gives one a value that its `choices` or its `type`
do not allow. The script ends at once: "error: unrecognized arguments", "the following arguments are
required", or "invalid choice".

Also found: the script reads an option that its parser does not have, as `args.batch` with the
option `--batch_size`. That is an AttributeError where it is read.

Remedy: correct the option or its value, add it to the script's parser, or give what is missing.

Versions: any. Not examined are parsers to which a library can add options, and command lines that
are only partly known.

Seen: MedicalGPT#206 is of this kind. Reproduced with argparse of Python 3.11, by a plain command
and in a Slurm job; `args.batch` without such an option raises "AttributeError: 'Namespace' object
has no attribute 'batch'".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Put, Remove, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import of_launcher
from trl_doctor.facts.passed import Refused
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import Run
from trl_doctor.facts.script.passed import NO_CODE


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if run.script.passed is None:
        raise NotConcerned(NO_CODE)
    if run.target.argv is None and not run.script.refused_options:
        raise NotConcerned("no command line is known")
    for refused in run.script.refused_options:
        message = f"the script's parser {refused.clause}"
        if remedy := of_launcher(facts, refused.flag.lstrip("-").replace("-", "_")):
            yield Finding(refused.place, message, remedy=remedy)
            continue
        if refused.near:
            message += f"; did you mean {refused.near}?"
        yield Finding(refused.place, message, fix=_renamed(run, refused), remedy=_remedy(refused))


def _remedy(refused: Refused) -> str:
    if refused.clause.startswith("needs"):
        return f"add {refused.flag} to the command line"
    if refused.clause.startswith("has no option"):
        return f"add the option --{refused.flag}, or correct the name"
    if refused.clause.startswith("does not know"):
        return f"remove {refused.flag}, correct it, or add it to this parser"
    return f"give {refused.flag} a value that it takes"


def _renamed(run: Run, refused: Refused) -> Fix | None:
    """The option under the name that was meant, where a launch file gives it."""
    file = refused.place.file
    if not refused.near or file != run.target.launched_by:
        return None
    edits = (
        Put(file, pointer(refused.near.removeprefix("--")), None),
        Remove(file, refused.place.pointer),
    )
    return Fix(f"write {refused.near} instead of {refused.flag}", edits, safe=False)


def _files(parsing: str) -> dict[str, str]:
    text = (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--model_name', required=True)\n"
        "parser.add_argument('--beta', type=float, default=0.1)\n"
        f"{parsing}\nfrom trl import DPOConfig, DPOTrainer\n"
        "DPOTrainer('org/m', args=DPOConfig('out'))\n"
    )
    return {"train.py": text}


def _given(*words: str) -> dict[str, str]:
    return _files(f"parser.parse_args({['--model_name', 'm', *words]})")


ADDED = "import deepspeed\ndeepspeed.add_config_arguments(parser)\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"the script refuses its arguments: .*",
    examples=(
        Bad(
            _given("--beta=0.2", "--use_peft", "true"),
            "train.py",
            says="the script's parser does not know --use_peft",
        ),
        Bad(
            _given("--beta", "low"),
            "train.py",
            says="the script's parser refuses --beta low: it is not a number",
        ),
        Bad(
            _given("--bata", "0.2"),
            "train.py",
            says="does not know --bata; did you mean --beta?",
        ),
        Bad(
            _files("parser.parse_args(['--beta', '1'])"),
            "train.py",
            says="the script's parser needs --model_name, which is not given",
        ),
        Bad(
            _files("args = parser.parse_args()\nprint(args.bata)"),
            "train.py",
            says="the script's parser has no option for bata, which the script reads; did you mean",
        ),
        Good(_given("--beta=0.2"), "train.py"),
        Good(_files("args = parser.parse_args()\nargs.x = 1\nprint(args.x)"), "train.py"),
        Good(_files("print(getattr(parser.parse_args(), 'x', 1))"), "train.py"),
        Good(_files("parser.set_defaults(func=len)\nparser.parse_args().func('')"), "train.py"),
        Good(_files("a = parser.parse_args()\nprint(a.x if 'x' in a else 1)"), "train.py"),
        Good(_files("a = parser.parse_args()\nvars(a).update(x=1)\nprint(a.x)"), "train.py"),
        Good(_files("parser.set_defaults(**settings)\nprint(parser.parse_args().x)"), "train.py"),
        Good(_given("--be", "1"), "train.py"),
        Good(_files("parser.parse_known_args(['--x'])"), "train.py"),
        Good(_files(f"{ADDED}parser.parse_args(['--deepspeed'])"), "train.py"),
        Good(_files("parser.parse_args()"), "train.py"),
    ),
)
