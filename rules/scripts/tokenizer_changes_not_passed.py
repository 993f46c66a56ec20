"""The trainer does not get the changed tokenizer.

The script loads a tokenizer and adds tokens to it, or sets its chat template or its eos. The
trainer gets none, or another one: it then loads the tokenizer of the model's folder, without the
changes. New tokens are split into pieces, and their new rows of the embeddings never learn; rows
are rendered with the old template; the saved tokenizer is the old one. No error is raised.

Remedy: pass it to the trainer: `processing_class=tokenizer` (`tokenizer=tokenizer` up to trl
0.11).

Versions: any. Not reported is a tokenizer that the script also gives to another function, saves,
or uses to render or tokenize rows; a pad token; a template or an eos that the script reads itself,
or that the config sets, too (`chat_template_path`, `eos_token`).

Seen: reproduced with SFT of trl 1.16.0 and 0.15.2: after `add_tokens(["<think>"])` and
`resize_token_embeddings` the rows of the trainer have `<think>` in pieces, and its id in none.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.lost_changes import LostChange, lost_changes

from .._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    if not (lost := facts[lost_changes]):
        raise NotConcerned("the script changes no tokenizer that its trainer does not get")
    for change in lost:
        gets = f"the trainer gets {change.instead}" if change.instead else (
            "the trainer gets no processing_class and loads the tokenizer of its model"
        )  # fmt: skip
        yield Finding(
            change.place,
            f"{change.change}, but {gets}: it trains without {_what(change)}",
            remedy=f"pass it to the trainer: processing_class={change.name}",
        )


def _what(change: LostChange) -> str:
    if change.adds:
        return "the new tokens"
    return "this template" if change.sets == "chat_template" else "this eos token"


def _script(change: str, given: str = "", config: str = "") -> dict[str, str]:
    loads = "from transformers import AutoTokenizer\ntok = AutoTokenizer.from_pretrained('org/m')\n"
    return script("SFT", f"model='org/m'{given}", config, loads + change)


ADDS = "tok.add_tokens(['<think>'])\n"
ENDS = "tok.eos_token = '</s>'\ntok.pad_token = tok.eos_token\n"
SETS = "tok.chat_template = 'x'\n"
TRL = {"trl": "1.16.0"}
OTHER = ", processing_class=AutoTokenizer.from_pretrained('org/m')"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script(f"{ADDS}print(len(tok))\n"),
            "train.py",
            TRL,
            says="tok.add_tokens(…), but the trainer gets no processing_class and loads",
        ),
        Bad(
            _script(SETS, OTHER),
            "train.py",
            TRL,
            says="but the trainer gets AutoTokenizer.from_pretrained('org/m'): it trains without "
            "this template",
        ),
        Bad(_script(ENDS), "train.py", TRL, says="it trains without this eos token"),
        Good(_script(ADDS, ", processing_class=tok"), "train.py", TRL),
        Good(_script(f"{ADDS}tok.save_pretrained('new')\n"), "train.py", TRL),
        Good(_script(f"{SETS}tok.apply_chat_template([])\n"), "train.py", TRL),
        Good(_script("tok.pad_token = tok.eos_token\n"), "train.py", TRL),
        Good(_script("tok.add_special_tokens({'pad_token': '<pad>'})\n"), "train.py", TRL),
        Good(_script(ENDS, config="eos_token='</s>'"), "train.py", TRL),
        Good(_script(f"{ENDS}rows = rows.map(lambda row: {{'text': tok.eos_token}})\n"),
             "train.py", TRL),
    ),
)  # fmt: skip
