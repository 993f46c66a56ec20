"""The mark of the assistant's turn is learned as an answer.

Rows have a prompt and a completion in chat form, and only completions are to be learned. These
releases of TRL render the prompt without the mark with which an answer begins, for example
`<|im_start|>assistant`. The mark then belongs to the completion, and has a loss in each row. It is
given wherever the model generates, so the model learns nothing by it: short answers weigh less, and
the loss and the accuracy look better than they are. There is no error.

Remedy: install trl 0.24.0 or newer. Or render both in the script: the prompt with
`apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)`, and as the completion the
rest of what the template makes of the whole conversation, without the eos at its end, which
SFTTrainer adds.

Versions: SFT of trl 0.19.0 to 0.23.1. Local files of rows are examined, their first rows; a
rehearsal examines those of the script.

Seen: trl#4147, trl#4201. Reproduced with SFT of trl 0.19.1: the text with a loss begins with
`<|im_start|>assistant` in each row, and with the answer after either remedy.
"""

import json
from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name
from trl_doctor.facts.rows.rendered import opened
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

from ..._recorded.candidate import CHATML, CONFIG, candidate, tokenizer_files

BROKEN, CORRECTED = Version("0.19.0"), Version("0.24.0")
ONLY = "completion_only_loss"


def check(facts: Facts) -> Iterator[Finding]:
    trl = trl_of(facts)
    if known_trainer(facts) != "sft" or trl is None or not BROKEN <= trl < CORRECTED:
        raise NotConcerned("only SFT of trl 0.19 to 0.23 renders the prompt without the mark")
    if not facts.run.flag(ONLY, default=True):
        raise NotConcerned("the prompts are learned, too")
    for row, mark in opened(facts):
        if mark.strip():
            yield Finding(
                facts.run.place(data_key(facts)),
                f"row {row.row} of {file_name(facts)}: SFTTrainer of trl {trl} learns {mark!r} as "
                "a part of the completion, although generation writes it",
            )
            return


def _rows(prompt: Json, completion: Json) -> str:
    return json.dumps({"prompt": prompt, "completion": completion}) + "\n"


SFT: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "model",
    "dataset_name": "rows.jsonl",
}
ASKED: list[Json] = [{"role": "user", "content": "a"}]
ANSWERED: list[Json] = [{"role": "assistant", "content": "b"}]
OLD, NEW = {"trl": "0.19.1"}, {"trl": "0.24.0"}


def _candidate(rows: str, template: str = CHATML, **more: Json) -> dict[str, Json]:
    tokenizer = tokenizer_files(chat_template=template)
    return {**candidate({**SFT, **more}, CONFIG, tokenizer), "rows.jsonl": rows}


PLAIN = CHATML.partition("{% if add_generation_prompt")[0]
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _candidate(_rows(ASKED, ANSWERED)),
            versions=OLD,
            says="row 1 of rows.jsonl: SFTTrainer of trl 0.19.1 learns '<|im_start|>assistant",
        ),
        Good(_candidate(_rows(ASKED, ANSWERED)), versions=NEW),
        Good(_candidate(_rows(ASKED, ANSWERED), PLAIN), versions=OLD),
        Good(_candidate(_rows(ASKED, ANSWERED), completion_only_loss=False), versions=OLD),
        Good(_candidate(_rows([*ASKED, *ANSWERED], ANSWERED)), versions=OLD),
        Good(_candidate(_rows("a", "b")), versions=OLD),
    ),
)
