"""What an argparse parser of a script refuses in the words that the user gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.source.reading import Start, read_source

MADE = (
    "import argparse, sys\nparser = argparse.ArgumentParser(description='x')\n"
    "parser.add_argument('-m', '--model_name', required=True)\n"
    "parser.add_argument('--flag', action='store_true')\n"
    "parser.add_argument('--loss', choices=['nll', 'dft'])\n"
    "parser.add_argument('--rate', type=float)\n"
    "parser.add_argument('--steps', type=int, choices=[1, 2])\n"
    "parser.add_argument('--own', type=str.lower, choices=['a'])\n"
    "parser.add_argument('--many', nargs='+', choices=['a'])\n{}\n"
)
PARSE = "args = parser.parse_args()"
CASES = {
    ("--model_name", "m", "--flags"): ["does not know --flags"],
    ("-m", "m", "--other=1"): ["does not know --other"],
    ("-mx",): [],
    ("--flag",): ["needs --model_name, which is not given"],
    ("--model", "m", "--fl"): [],
    ("--model_name", "m", "--", "--other"): [],
    ("-m", "m", "--loss", "foo"): ["refuses --loss foo: it takes nll, dft"],
    ("-m", "m", "--loss=dft", "--steps", "2", "--rate", "-1e-6"): [],
    ("-m", "m", "--steps", "3"): ["refuses --steps 3: it takes 1, 2"],
    ("-m", "m", "--steps", "1.0"): ["refuses --steps 1.0: it is not a whole number"],
    ("-m", "m", "--rate", "fast"): ["refuses --rate fast: it is not a number"],
    ("-m", "m", "--rate", "--flag"): ["finds no value behind --rate"],
    ("-m", "m", "--rate"): ["finds no value behind --rate"],
    ("-m", "m", "--own", "A", "--many", "b"): [],
    ("\0$A gives it",): [],
    ("--flags", "\0$A gives it"): ["does not know --flags"],
    ("--rate", "\0$A gives it", "--steps", "3"): ["refuses --steps 3: it takes 1, 2"],
}


def refused(text: str, *words: str) -> list[str]:
    reading = read_source(Path("train.py"), text.encode(), Start(words))
    return [refusal.clause for refusal, _ in reading.state.refused]


@pytest.mark.parametrize("words", CASES)
def test_refused(words: tuple[str, ...]) -> None:
    assert refused(MADE.format(PARSE), *words) == CASES[words]


@pytest.mark.parametrize(
    "parsing",
    [
        "args, rest = parser.parse_known_args()",
        f"sys.argv = []\n{PARSE}",
        f"sys.argv.append('--model_name')\n{PARSE}",
        f"try:\n    {PARSE}\nexcept SystemExit:\n    pass",
        f"if sys.platform == 'x':\n    {PARSE}",
        f"parser.add_subparsers()\n{PARSE}",
        f"parser.add_argument('rest', nargs=argparse.REMAINDER)\n{PARSE}",
        f"parser.add_argument(*sys.path)\n{PARSE}",
        f"for name in sys.path:\n    parser.add_argument(name)\n{PARSE}",
        f"from elsewhere import *\nadd_more(parser)\n{PARSE}",
        f"import deepspeed\ndeepspeed.add_config_arguments(parser)\n{PARSE}",
    ],
)
def test_uncertain_words_are_not_reported(parsing: str) -> None:
    assert refused(MADE.format(parsing), "--other") == []
