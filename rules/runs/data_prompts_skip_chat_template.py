"""Prompts are plain texts, and the model has a chat template.

The trainer applies the chat template to prompts that are messages, and gives texts to the model as
they are. A chat model then continues a text in place of answering a question: its answers differ
from those that its users get, they end late or never, and rewards are lower than they should be.
No error is raised.

Remedy: give each prompt as messages, `[{"role": "user", "content": …}]`. If a base model is meant
to continue plain texts, the prompts are right as they are.

Versions: GRPO, RLOO, OnlineDPO, XPO and NashMD of every release. Local JSON files are examined,
their first 64 rows, and in a rehearsal the rows that the trainer gets. It is a warning if the
model's name has a word such as `Instruct`, `chat` or `it`, else a note.

Seen: autocontext#1070. Reproduced with GRPO of trl 1.16.0: the ids that the model gets
have no mark of a turn.
"""

import re
from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.own_rows import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import known_trainer, tokenizer_facts
from trl_doctor.facts.tokenizer import tokenizer

from .._recorded.candidate import CHATML, CONFIG, candidate, tokenizer_files

TRAINERS = ("grpo", "rloo", "online_dpo", "xpo", "nash_md")
CHAT_NAME = re.compile(r"(?i)(?:^|[-_/.])(?:instruct|chat|it|sft|assistant)(?:$|[-_/.])")
SHOWN = 60
"""Characters of a prompt that the finding shows."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in TRAINERS:
        raise NotConcerned("this trainer generates nothing from prompts that are texts")
    words = tokenizer_facts(facts)[tokenizer]
    if words.chat_template is None:
        raise NotConcerned("the tokenizer has no chat template")
    prompts = [row.get("prompt") for row in own_rows(facts)]
    plain = [prompt for prompt in prompts if isinstance(prompt, str) and prompt.strip()]
    if len(plain) != len(prompts) or any(
        token in text for text in plain for token in words.special
    ):
        return
    policy = facts.run.models.get("policy")
    name = policy.name if policy else ""
    yield Finding(
        facts.run.place(data_key(facts)),
        f"the prompts of {file_name(facts)} are plain texts: the chat template of the model is not "
        f"applied to {plain[0][:SHOWN]!r}",
        remedy='give each prompt as messages: [{"role": "user", "content": …}]',
        severity=None if CHAT_NAME.search(name) else "note",
    )


def _files(model: str, prompt: Json) -> dict[str, Any]:
    run: dict[str, Json] = {
        "trainer": "grpo",
        "model_name_or_path": model,
        "dataset_name": "rows.jsonl",
    }
    made = candidate(run, CONFIG, tokenizer_files(chat_template=CHATML))
    named = {path.replace("model/", f"{model}/", 1): content for path, content in made.items()}
    return {**named, "rows.jsonl": f'{{"prompt": {prompt}}}\n'}


QUESTION = '"What is two and two?"'
MESSAGES = f'[{{"role": "user", "content": {QUESTION}}}]'
RENDERED = '"<|im_start|>user\\nTwo?<|im_end|>\\n<|im_start|>assistant\\n"'
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_files("m-1B-Instruct", QUESTION), says="the prompts of rows.jsonl are plain texts"),
        Bad(_files("m-1B", QUESTION), says="the chat template of the model", severity="note"),
        Good(_files("m-1B-Instruct", MESSAGES)),
        Good(_files("m-1B-Instruct", RENDERED)),
    ),
)
