"""A mask of the answers needs a generation block.

The script asks `apply_chat_template` for `return_assistant_tokens_mask`. transformers marks what
the chat template writes inside `{% generation %}`; a template without such a block gives a mask of
zeros. If the script makes labels of it, no token has a loss: the run trains nothing, or TRL leaves
out all rows. There is a line in the log, and no error.

Remedy: in the chat template write `{% generation %}` before the content of an assistant's message
and `{% endgeneration %}` after the token that ends the turn. Or pass such a template to the call.

Versions: every transformers that has this argument. Calls with a template of their own are left
alone.

Seen: marin#7237. Reproduced with SFT of trl 0.24.0 (the loss is nan) and 1.16.0 (no row is left),
with the rows of a `map` that makes the labels of the mask; with the block it trains.
"""

import ast
import re
from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import template
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.assigned import values_by_name
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.method_calls import calls_of_methods
from trl_doctor.facts.special_tokens import tokenizer_facts

from .._recorded.candidate import CHATML, CONFIG, tokenizer_files, under
from .._recorded.scripts import script

RENDERS, ASKED, OWN = "apply_chat_template", "return_assistant_tokens_mask", "chat_template"
MARK = re.compile(r"\{%-?\s*generation\s*-?%\}")


def check(facts: Facts) -> Iterator[Finding]:
    values = values_by_name(facts[code].nodes)
    asking = [
        call
        for call in facts[calls_of_methods]
        if call.method == RENDERS and _asks(call.node) and not _has_own(call.node, values)
    ]
    if not asking:
        raise NotConcerned(f"the script asks for no {ASKED}")
    if MARK.search(tokenizer_facts(facts)[template].text):
        return
    for call in asking:
        yield Finding(
            facts[code].place(call.node),
            f"{ASKED} gives zeros only: the chat template has no {{% generation %}} block",
        )


def _asks(call: ast.Call) -> bool:
    return any(
        word.arg == ASKED and isinstance(word.value, ast.Constant) and word.value.value is True
        for word in call.keywords
    )


def _has_own(call: ast.Call, values: dict[str, list[ast.expr]]) -> bool:
    """Whether the call may get a template that is not the tokenizer's."""
    for word in call.keywords:
        if word.arg is None:
            return True
        if word.arg == OWN:
            named = values.get(word.value.id, []) if isinstance(word.value, ast.Name) else []
            given = named[0] if len(named) == 1 else word.value
            return not (isinstance(given, ast.Constant) and given.value is None)
    return False


BLOCK = (
    "{% for message in messages %}{{ message['role'] + '\n' }}"
    "{% if message['role'] == 'assistant' %}{% generation %}{{ message['content'] + '<|im_end|>' }}"
    "{% endgeneration %}{% else %}{{ message['content'] + '<|im_end|>' }}{% endif %}{% endfor %}"
)


def _masked(given: str, chat_template: str = CHATML, before: str = "") -> dict[str, Any]:
    load = (
        "from transformers import AutoTokenizer\ntok = AutoTokenizer.from_pretrained('model')\n"
        f"{before}def mask(row):\n    out = tok.apply_chat_template(row['messages'], {given})\n"
        "    return {'labels': out['assistant_masks']}\nrows = rows.map(mask)\n"
    )
    files = script("SFT", "model='model', processing_class=tok", before=load)
    tokenizer = tokenizer_files(chat_template=chat_template)
    return {**files, **under("model", tokenizer, CONFIG)}


ALONE = "return_dict=True, return_assistant_tokens_mask=True"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_masked(ALONE), "train.py", says="return_assistant_tokens_mask gives zeros only"),
        Bad(
            _masked(f"{ALONE}, chat_template=OWN", before="OWN = None\n"),
            "train.py",
            says="the chat template has no {% generation %} block",
        ),
        Good(_masked(ALONE, BLOCK), "train.py"),
        Good(_masked(f"{ALONE}, chat_template=OWN", before="OWN = open('a').read()\n"), "train.py"),
        Good(_masked("return_dict=True"), "train.py"),
        Good(_masked(f"**more, {ALONE}"), "train.py"),
    ),
)
