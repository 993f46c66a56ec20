"""The script looks for the name of a part that no weight has.

A script goes through `model.named_parameters()` and freezes, or gives an own learning rate to, the
weights whose name begins with a text. No name has that text, although the model has the part: it is
called otherwise in this class or this release. transformers 4.52, for example, renamed the parts of
models that see images: `model.layers.0` became `model.language_model.layers.0`. The part is then
trained like all others, and no error is raised.

Remedy: write the name that the report shows; `for name, _ in model.named_parameters(): print(name)`
prints all of them.

Versions: any. Only a rehearsal sees it: it compares the texts with the names while the script runs.

Seen: ms-swift#7226; reproduced with Gemma 3 and SFT of trl 1.16.0: the first layer moves although
`freeze_parameters` names it.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = "{place} looks for {0!r} in the names of weights, and none has it; the names have {1}"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"unmatched name": MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("model.layers.0", "model.language_model.layers.0")
    says = "'model.layers.0' in the names of weights, and none has it; the names have model.lang"
    return mistake("unmatched name", words, "train.py:7", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
