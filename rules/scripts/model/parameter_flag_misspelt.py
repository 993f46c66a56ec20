"""A flag of the parameters is misspelt.

`parameter.require_grad = False` sets an attribute that nothing reads: the flag is `requires_grad`.
All weights are trained, also those that the script means to freeze. No error is raised.

Remedy: write `requires_grad`.

Versions: any.

Seen: reproduced with SFT of trl 0.24.0: after `parameter.require_grad = False` for all parameters
but those of the last layer, the weights of every layer move.
"""

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code

from ..._recorded.scripts import script

FLAG, ALIKE = "requires_grad", 0.85


def check(facts: Facts) -> Iterator[Finding]:
    parsed = facts[code]
    own = _own_names(parsed.nodes)
    assigned = [
        (node, target)
        for node in parsed.nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
        and _is_misspelt(target.attr)
        and target.attr not in own
    ]
    if not assigned:
        raise NotConcerned("the script sets no flag that looks like requires_grad")
    for node, target in assigned:
        yield Finding(
            parsed.place(node),
            f"nothing reads {ast.unparse(target)}: the flag is called {FLAG}, and no weight is "
            "frozen by this line",
            remedy=f"write {ast.unparse(target.value)}.{FLAG}",
        )


def _is_misspelt(name: str) -> bool:
    return name != FLAG and SequenceMatcher(None, name, FLAG).ratio() >= ALIKE


def _own_names(nodes: tuple[ast.AST, ...]) -> set[str]:
    """The attributes that the script itself reads, or that its classes have."""
    read = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    fields = (node.target for node in nodes if isinstance(node, ast.AnnAssign))
    return read | {field.id for field in fields if isinstance(field, ast.Name)}


def _script(flag: str) -> dict[str, str]:
    before = (
        "from transformers import AutoModelForCausalLM\n"
        "model = AutoModelForCausalLM.from_pretrained('org/m')\n"
        f"for weight in model.parameters():\n    weight.{flag} = False\n"
    )
    return script("SFT", "model=model", before=before)


TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script("require_grad"),
            "train.py",
            TRL,
            says="nothing reads weight.require_grad: the flag is called requires_grad",
        ),
        Good(_script("requires_grad"), "train.py", TRL),
        Good(_script("grad"), "train.py", TRL),
        Good(_script("require_grad = weight.require_grad or True\n    weight.x"), "train.py", TRL),
    ),
)
