"""An answer begins with the system text of its prompt.

The trainer joins the text of the prompt and the text of the answer. If a script renders the two
separately with the chat template, many templates begin each with their own system text (Qwen 2.5:
"You are Qwen, …"). There is no error, and the model learns to begin its answers with a system text.

Remedy: render the whole conversation and remove the prompt's text from its beginning; or give the
trainer the messages (`prompt`, `chosen` and `rejected` as lists), which it renders itself.

Versions: every trl, with DPO, KTO, ORPO, CPO and SFT. The first 64 rows of local files
are examined, and in a rehearsal the rows that the trainer gets.

Seen: trl#1930. Reproduced with DPO of trl 0.12.2 and a template with a default system text: the
tokens of a pair have the system text twice; cut off as above, once.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Files, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import CONFIG, RUN, candidate, tokenizer_files

ANSWERS = {
    "sft": ("completion",),
    "kto": ("completion",),
    "dpo": ("chosen", "rejected"),
    "orpo": ("chosen", "rejected"),
    "cpo": ("chosen", "rejected"),
}
SAYS = "system"


def check(facts: Facts) -> Iterator[Finding]:
    columns = ANSWERS.get(known_trainer(facts) or "")
    if columns is None:
        raise NotConcerned("the trainer joins no prompt and answer")
    rows = [row for row in facts[own_rows] if isinstance(row.get("prompt"), str)]
    shared = [(number, column, _front(row["prompt"], row.get(column)))
              for number, row in enumerate(rows, 1) for column in columns]  # fmt: skip
    shared = [entry for entry in shared if SAYS in entry[2].lower()]
    if not shared:
        return
    marks = [token for token in tokenizer_facts(facts)[tokenizer].special if len(token) > 2]
    for number, column, front in shared:
        if any(mark in front[front.lower().index(SAYS) :] for mark in marks):
            yield Finding(
                facts.run.place(data_key(facts)),
                f"row {number} of {file_name(facts)}: its {column} begins with the same system "
                "text as its prompt, and the trainer joins the two",
            )
            return


def _front(prompt: Json, answer: Json) -> str:
    """The beginning that two texts share."""
    if not isinstance(prompt, str) or not isinstance(answer, str):
        return ""
    pairs = enumerate(zip(prompt, answer, strict=False))
    return prompt[: next((at for at, (a, b) in pairs if a != b), min(len(prompt), len(answer)))]


def files(answer: str, trainer: str = "dpo") -> Files:
    system = "<|im_start|>system\\nBe kind.<|im_end|>\\n"
    row = f'{{"prompt": "{system}<|im_start|>user\\nWhy?<|im_end|>\\n", "chosen": "{answer}"}}\n'
    run = {**RUN, "trainer": trainer, "dataset_name": "rows.jsonl"}
    return {**candidate(run, CONFIG, tokenizer_files()), "rows.jsonl": row}


TWICE = "<|im_start|>system\\nBe kind.<|im_end|>\\n<|im_start|>assistant\\nSo.<|im_end|>\\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(files(TWICE), says="its chosen begins with the same system text as its prompt"),
        Good(files("<|im_start|>assistant\\nSo.<|im_end|>\\n")),
        Good(files("So.")),
        Good(files(TWICE, "reward")),
    ),
)
