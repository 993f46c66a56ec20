"""Answers of the rows do not begin as generation does.

To generate, the chat template writes the beginning of an answer, for example `<|assistant|>`, and
the model continues. The model learns answers after the text that the rows have at this position. If
that text is different, for example another spelling of the role, the model has not learnt to answer
after the text that generation writes.

Remedy: use the roles `user` and `assistant` in the rows. If the template begins answers with
`<think>`, put the thoughts into the rows, or train with a template that does not.

Versions: SFT, DPO and KTO of every release. Local files of rows are examined, their first 64
rows.

Seen: with rows whose role is `Assistant` and Llama 3's template, and with DeepSeek R1's template
and answers without thoughts, `trl sft` of 1.16.0 trains without an error; for the second, with
prompt and completion rows, the log warns that the prompt is not a prefix.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name
from trl_doctor.facts.rows.rendered import RenderedRow, prompts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

from ..._recorded.candidate import CHATML, CONFIG, candidate, tokenizer_files

CONCERNED = ("sft", "dpo", "kto")
QUESTIONS = ("user", "system", "tool", "developer", "function")
SHOWN = 30
"""Characters of a text that are shown."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in CONCERNED:
        raise NotConcerned("the trainer does not learn the answers of the rows")
    for row, prompt in prompts(facts):
        answer = str(getattr(row.answer, "text", ""))
        if str(row.messages[-1].get("role")).lower() in QUESTIONS:
            continue
        alike = _alike(prompt, answer)
        missing, rendered = prompt[alike:], answer[alike:]
        if missing.strip() and not _thoughts_moved(row):
            yield Finding(
                facts.run.place(data_key(facts)),
                f"row {row.row} of {file_name(facts)}: generation writes {missing[-SHOWN:]!r} "
                f"before an answer, and the row has {rendered[:SHOWN]!r} there",
                (f"the role of its last message is {row.messages[-1].get('role')!r}",),
                follows=("data-role-unknown",),
            )
            return


def _alike(first: str, second: str) -> int:
    """How many characters both texts begin with."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


def _thoughts_moved(row: RenderedRow) -> bool:
    """Whether the question alone is rendered otherwise: thoughts of earlier answers come back."""
    earlier = [
        message for message in row.messages[:-1] if "</think>" in str(message.get("content"))
    ]
    return bool(earlier)


def _rows(role: str) -> str:
    messages: Json = [{"role": "user", "content": "a"}, {"role": role, "content": "b"}]
    return f'{{"messages": {messages}}}\n'.replace("'", '"')


SFT: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "model",
    "dataset_name": "rows.jsonl",
}
THINKS = CHATML.replace("<|im_start|>assistant\n' }}", "<|im_start|>assistant\n<think>\n' }}")
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {
                **candidate(SFT, CONFIG, tokenizer_files(chat_template=CHATML)),
                "rows.jsonl": _rows("Assistant"),
            },
            says="row 1 of rows.jsonl: generation writes 'assistant",
        ),
        Bad(
            {
                **candidate(SFT, CONFIG, tokenizer_files(chat_template=THINKS)),
                "rows.jsonl": _rows("assistant"),
            },
            says="<think>",
        ),
        Good(
            {
                **candidate(SFT, CONFIG, tokenizer_files(chat_template=CHATML)),
                "rows.jsonl": _rows("assistant"),
            },
        ),
    ),
)
