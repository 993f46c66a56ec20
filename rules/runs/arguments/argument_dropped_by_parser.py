"""The script drops options that its parser does not know.

`args, _ = parser.parse_known_args()` takes the options that the parser knows and leaves the others:
a misspelt option, or one of another name (`--learning_rate` for `--lr`), is gone without a word.
The run uses the default instead.

Remedy: call `parse_args()`, which refuses unknown options; or give the option the parser's name.

Versions: any. Only a rehearsal sees it. Options that any parser of the script knows are left alone,
and so are those that launchers add, and lines that give the rest a name that somebody may read.

Seen: reproduced with DPO of trl 1.16.0: `python train.py --learning_rate 5e-7` trains with the 1e-4
of `--lr`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = "{place} drops {0}: the script's parser does not know it, and the run goes on without it"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"options dropped": MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("--learning_rate 5e-7",)
    says = "train.py:9 drops --learning_rate 5e-7: the script's parser does not know it"
    return mistake("options dropped", words, "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
