"""The text for one layer is in other layers' names, too.

`if "layers.1" in name` is meant for layer 1. The names of layers 10 to 19 have the same text, so
these are frozen, or trained, as well. No error is raised.

Remedy: end the text with a dot: `"layers.1."`. Or compare the number:
`int(name.split("layers.")[1].split(".")[0])`.

Versions: any. Only a rehearsal sees it: it notes what the names are searched for, and takes the
number of layers from the config of the whole model.

Seen: reproduced with a model of 12 layers and SFT of trl 1.16.0: layers 10 and 11 do not move.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = "{place} looks for {0!r} in the names of weights: layers {1} have it too ({2} more)"
REMEDY = "end the text with a dot, so that it is one layer's"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"name of more layers": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("layers.1", "10, 11", "2")
    says = "train.py:7 looks for 'layers.1' in the names of weights: layers 10, 11 have it too"
    return mistake("name of more layers", words, "train.py:7", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
