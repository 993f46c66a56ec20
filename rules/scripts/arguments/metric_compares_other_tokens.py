"""compute_metrics compares each token with another one.

A causal language model predicts at each position the token of the next one. `compute_metrics` gets
predictions and labels as they are: the prediction for a token is one position before its label.
Compared position by position, a model that has learnt all texts gets an accuracy near 0, and the
best checkpoint is chosen by chance.

Remedy: shift them: `preds = preds[:, :-1]` and `labels = labels[:, 1:]` (if preds are token ids),
and leave out the labels of -100. What the model writes by itself is another thing: call
`model.generate` for it.

Versions: SFT of every trl. Functions that call others of the script, shift or decode are not
judged.

Seen: unsloth#2257. Reproduced with SFT of trl 1.16.0: texts that are learnt to a loss below 0.5 get
an accuracy below 0.5; with the shift it is above.
"""

import ast
import re
from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import function, passed

from ..._recorded.scripts import script

KEY, BEFORE = "compute_metrics", "preprocess_logits_for_metrics"
SHIFTS = re.compile(
    r"shift|roll|generate|decode|delete|slice|:-1\]|: ?-1,|[\[ ]1:\]|[\[ ]1:,|\w [+-] 1\b"
    r"|cross_entropy|loss"
)
"""Words of a function that shifts, or does something else than comparing ids."""

COMPARING = re.compile(r"^(?:accuracy|f1|precision|recall|balanced_accuracy)_score$"
                       r"|^precision_recall_fscore_support$|^(?:compute|add_batch)$")  # fmt: skip
PLAIN = frozenset(
    ["float", "int", "len", "sum", "isinstance", "round", "dict", "zip", "list", "print", "tuple",
     "range", "enumerate", "max", "min", "abs", "bool", "str"]
)  # fmt: skip


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    if known_trainer(facts) != "sft" or not values.has(KEY):
        raise NotConcerned("only SFT with compute_metrics compares tokens")
    if facts.run.flag("prediction_loss_only"):
        raise NotConcerned("its evaluations keep no predictions")
    metrics, before = function(values.given(KEY)), values.given(BEFORE)
    if metrics is None or (before is not None and function(before) is None):
        raise Unavailable("the source of compute_metrics is not in the script")
    prepared = function(before)
    texts = [ast.unparse(function.node) for function in (metrics, prepared) if function]
    if any(map(SHIFTS.search, texts)) or not _comparing(metrics.node):
        return
    yield Finding(
        values.places[KEY],
        f"{metrics.name} compares each label with the prediction for the next token: the accuracy "
        "of a model that has learnt everything is near 0",
        remedy="shift them: predictions[:, :-1] belong to labels[:, 1:]",
    )


def _comparing(node: ast.AST) -> bool:
    """Whether a function compares two arrays, and calls nothing of the script's own."""
    compared = False
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            called = each.func
            if isinstance(called, ast.Name) and called.id not in PLAIN:
                if not COMPARING.search(called.id):
                    return False
                compared = True
            compared |= isinstance(called, ast.Attribute) and bool(COMPARING.search(called.attr))
        elif isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.Eq):
            sides = (each.left, each.comparators[0])
            compared |= all(isinstance(side, ast.Name | ast.Subscript | ast.Call) for side in sides)
    return compared


def _script(body: str, arguments: str = "compute_metrics=measure") -> dict[str, Any]:
    before = (
        "import numpy as np\n\n\ndef measure(given):\n    logits, labels = given\n"
        f"    preds = np.argmax(logits, axis=-1)\n{body}"
    )
    return script("SFT", f"model='org/m', {arguments}", before=before)


SAME = "    return {'accuracy': float((preds == labels)[labels != -100].mean())}\n"
SCORED = "    return {'accuracy': accuracy_score(labels.ravel(), preds.ravel())}\n"
SHIFTED = "    preds, labels = preds[:, :-1], labels[:, 1:]\n"
DELETED = "    preds, labels = np.delete(preds, -1, axis=1), np.delete(labels, 0, axis=1)\n"
COUNTED = "    return {'first': float(sum(p[i] == y[i + 1] for p, y in zip(preds, labels)))}\n"
WRITTEN = "    return {'empty': float(sum(one == '' for one in tokenizer.batch_decode(preds)))}\n"
NO_PREDICTIONS = "args=SFTConfig(output_dir='out', prediction_loss_only=True)"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script(SAME),
            "train.py",
            versions=TRL,
            says="measure compares each label with the prediction for the next token",
        ),
        Bad(_script(SCORED), "train.py", versions=TRL, says="measure compares each label"),
        Good(_script(SHIFTED + SAME), "train.py", TRL),
        Good(_script(DELETED + SAME), "train.py", TRL),
        Good(_script(SAME, f"{NO_PREDICTIONS}, compute_metrics=measure"), "train.py", TRL),
        Good(_script(COUNTED), "train.py", TRL),
        Good(_script(WRITTEN), "train.py", TRL),
        Good(_script(SAME, ""), "train.py", TRL),
    ),
)
