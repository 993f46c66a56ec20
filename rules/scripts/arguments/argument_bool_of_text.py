"""An option of the script is true also for `False`.

`add_argument("--use_lora", type=bool)` calls `bool("False")`, which is true like every text that is
not empty. With `--use_lora False` on the command line the script does the opposite of what is
written there. There is no error.

Remedy: use `action=argparse.BooleanOptionalAction` (`--use_lora`, `--no-use_lora`), or a function
that reads the text: `type=lambda text: text.lower() == "true"`.

Versions: every Python. Options that `HfArgumentParser` and `TrlParser` make of a dataclass read the
text themselves and are not concerned.

Seen: reproduced with SFT of trl 1.16.0: `--use_lora False` trains an adapter.
"""

import ast
import itertools
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.method_calls import calls_of_methods

from ..._recorded.scripts import notebook, script

FALSE = ("false", "no", "0", "off", "none")


def check(facts: Facts) -> Iterator[Finding]:
    options = [call for call in facts[calls_of_methods] if _makes_bool(call.node)]
    flags = _given(facts)
    for call in options:
        names = [
            argument.value for argument in call.node.args if isinstance(argument, ast.Constant)
        ]
        texts = [flags[name] for name in names if name in flags]
        false = next((text for text in texts if text.lower() in FALSE), "")
        name = str(names[-1]) if names else "an option"
        yield Finding(
            facts[code].place(call.node),
            f"{name} {false} counts as true: bool() of any text is true"
            if false
            else f"{name} False would count as true: bool() of any text is true",
            remedy="write action=argparse.BooleanOptionalAction in place of type=bool",
            severity="error" if false else None,
        )


def _makes_bool(node: ast.Call) -> bool:
    kind = next((word.value for word in node.keywords if word.arg == "type"), None)
    called = isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument"
    return called and isinstance(kind, ast.Name) and kind.id == "bool"


def _given(facts: Facts) -> dict[str, str]:
    """The options of the command line, each with the word after it."""
    target = facts.run.target
    launched = [word.text for word in target.launch.words] if target.launch else []
    words = list(target.argv or launched)
    pairs = {name: text for name, text in itertools.pairwise(words) if name[:1] == "-"}
    return {**pairs, **dict(word.split("=", 1) for word in words if "=" in word)}


def _parsing(option: str) -> dict[str, str]:
    before = (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        f"parser.add_argument('--lora', {option})\nopts = parser.parse_args()\n"
    )
    return script("SFT", "model='org/m'", before=before)


LINE = "#!/bin/bash\npython train.py --lora False\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_parsing("type=bool"), "train.py", says="--lora False would count as true"),
        Bad(
            notebook("import json", _parsing("type=bool")["train.py"]),
            "train.ipynb",
            says="--lora False would count as true",
        ),
        Bad(
            {**_parsing("type=bool, default=True"), "job.sh": LINE},
            "job.sh",
            says="--lora False counts as true: bool() of any text is true",
            severity="error",
        ),
        Good(_parsing("action='store_true'"), "train.py"),
        Good(_parsing("type=int"), "train.py"),
    ),
)
