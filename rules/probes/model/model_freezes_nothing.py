"""The script freezes weights, and none is frozen.

A loop over the weights of the model sets `requires_grad` to False where a name has some text, and
no name of this model has it, because names differ between architectures. Or the script sets
`requires_grad = False` on a module: PyTorch reads the attribute of weights only. The run trains all
weights. It needs more memory, and changes what was meant to stay. No error is raised.

Remedy: print the names of `model.named_parameters()`, and test for a part that they have; call
`module.requires_grad_(False)` for a module.

Versions: every trl. A rehearsal examines the model that the trainer gets. Loops that ask for the
number of a layer are not judged, because the small model has only a few layers; nor are scripts
that set `requires_grad` to True somewhere, and loops in other files.

Seen: reproduced with trl 0.24.0 and a Llama: `if name.startswith("transformer.wte")` matches
nothing, and the embeddings move; with `model.embed` they stay. They also move after
`embeddings.requires_grad = False`, and stay after `embeddings.requires_grad_(False)`.
"""

from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Finding, Place, Spot
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Examples, Good, Rule

from ..._recorded.rehearsal import FILES, TRL, rehearsed


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rehearsal]
    if answer.reached not in ("end", "step"):
        raise Unavailable("the rehearsal took no step")
    line, part = answer.frozen_in_vain, answer.frozen_part
    if line is None:
        return
    place = Place(Path(line.file), spot=Spot(line.line, line.column))
    if part:
        yield Finding(
            place,
            f"`requires_grad` is set on the module {part}, where PyTorch does not read it: all of "
            "its weights are trained",
            remedy="call `.requires_grad_(False)` on the module",
        )
    else:
        yield Finding(
            place,
            "no weight of the model is frozen when the training starts: the loop matches no name",
        )


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import Line

    from ..._recorded.rehearsal import frozen_in_vain

    return (
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=frozen_in_vain(Line("train.py", 9, 9)),
            says="no weight of the model is frozen",
        ),
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=frozen_in_vain(Line("train.py", 9, 9), "model.layers.0"),
            says="set on the module model.layers.0, where PyTorch does not read it",
        ),
        Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed()),
        Good(FILES, versions=TRL, answers=rehearsed()),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
