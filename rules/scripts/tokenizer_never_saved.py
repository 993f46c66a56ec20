"""The script changes the tokenizer and saves the model alone.

`model.save_pretrained(…)` writes weights and config.json. The chat template that the script sets,
or the tokens that it adds, are in the tokenizer, which is not saved with it. A program that loads
the folder finds no tokenizer, or uses the base model's, and asks the model in another form than it
has learnt.

Remedy: call `tokenizer.save_pretrained(…)` with the same folder, or `trainer.save_model(…)`, which
saves both if the trainer has the tokenizer (`processing_class`).

Versions: every trl and transformers. The source of the script is read.

Seen: awesome-llm-apps#1027. Reproduced with SFT of trl 1.16.0 and LoRA: the saved folder has the
adapter and no tokenizer.
"""

import ast
import re
from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.assigned import assigned
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.method_calls import calls_of_methods

from .._recorded.scripts import script

CHANGES = re.compile(
    rb"^[^#\n]*\w*(?:tokenizer|tok|processor)\w*\.(?:chat_template\s*=[^=]|add_(?:special_)?tokens\()",
    re.MULTILINE,
)
SAVES = "save_pretrained"
TOKENIZER, MODEL = re.compile(r"tok|proc", re.IGNORECASE), re.compile(r"model|adapter|peft|merged")
KEEPS = re.compile(
    rb"\.save_model\(|push_to_hub|upload_folder|save_pretrained_\w+\(|\.save_vocabulary\("
    rb"|(?:tok\w*|proc\w*)\.save_pretrained|for \w+ in [^\n]*:\n\s+\w+\.save_pretrained",
    re.IGNORECASE,
)
"""What saves the tokenizer too, or may do so."""


def check(facts: Facts) -> Iterator[Finding]:
    values, file = passed(facts), facts.run.file
    if file is None or isinstance(file, Unavailable):
        raise Unavailable("the source of the script is not here")
    text = file.data
    change = CHANGES.search(text)
    if change is None:
        raise NotConcerned("the script changes no tokenizer")
    saved = [call for call in facts[calls_of_methods] if call.method == SAVES]
    trained = any(deed.name == "train" for deed in values.deeds)
    if not saved or not trained or KEEPS.search(text):
        return
    others = _perhaps_tokenizers(facts[code].nodes)
    if not any(call.name in others for call in saved):
        part = "chat template" if b"chat_template" in change[0] else "new tokens"
        yield Finding(
            facts[code].place(saved[0].node),
            f"{saved[0].name}.{SAVES} saves the model alone, and nothing saves the tokenizer with "
            f"the {part} of the script",
            remedy=f"call tokenizer.{SAVES} with the same folder",
        )


def _perhaps_tokenizers(nodes: tuple[ast.AST, ...]) -> set[str]:
    """The names that may hold a tokenizer: another name of it, or one for several objects."""
    named = {name for name, value in assigned(nodes) if TOKENIZER.search(ast.unparse(value))}
    several = {node.arg for node in nodes if isinstance(node, ast.arg)} | {
        inner.id
        for node in nodes
        if isinstance(node, ast.For | ast.comprehension)
        for inner in ast.walk(node.target)
        if isinstance(inner, ast.Name)
    }
    return {name for name in named | several if not MODEL.search(name)}


def _script(change: str = "tokenizer.chat_template = TEXT\n", after: str = "") -> dict[str, Any]:
    """A script that changes its tokenizer, trains, and saves in some way."""
    before = (
        "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
        "model = AutoModelForCausalLM.from_pretrained('org/m')\n"
        f"tokenizer = AutoTokenizer.from_pretrained('org/m')\nTEXT = '{{{{ messages }}}}'\n{change}"
    )
    files = script("SFT", "model=model, processing_class=tokenizer", before=before)
    return {"train.py": files["train.py"].replace("SFTTrainer(a", "t = SFTTrainer(a") + after}


TRAIN = "t.train()\n"
HELPER = "def save(part):\n    part.save_pretrained('final')\n"
ALONE = f"{TRAIN}model.save_pretrained('final')\n"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script(after=ALONE),
            "train.py",
            versions=TRL,
            says="nothing saves the tokenizer with the chat template of the script",
        ),
        Bad(
            _script("tokenizer.add_tokens(['<a>'])\n", ALONE),
            "train.py",
            versions=TRL,
            says="nothing saves the tokenizer with the new tokens of the script",
        ),
        Good(_script(after=f"{ALONE}tokenizer.save_pretrained('final')\n"), "train.py", TRL),
        Good(_script(after="t.train()\nt.save_model('final')\n"), "train.py", TRL),
        Good(_script("", ALONE), "train.py", TRL),
        Good(_script(after=f"{HELPER}{TRAIN}save(model)\nsave(tokenizer)\n"), "train.py", TRL),
        Good(
            _script(after=f"{TRAIN}[p.{SAVES}('f') for p in (model, tokenizer)]\n"), "train.py", TRL
        ),
        Good(_script(after=f"{ALONE}words = tokenizer\nwords.{SAVES}('f')\n"), "train.py", TRL),
        Good(_script(after="t.train()\n"), "train.py", TRL),
    ),
)
