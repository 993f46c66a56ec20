"""Prompts are plain texts, and the model has a chat template.

The trainer applies the chat template to prompts that are messages, and gives texts to the model as
they are. A chat model then continues a text in place of answering a question: its answers differ
from those that its users get, they end late or never, and rewards are lower than they should be.
No error is raised.

Remedy: give each prompt as messages, `[{"role": "user", "content": …}]`. If the rows have answers,
give them as messages, too, `[{"role": "assistant", "content": …}]`: all of `prompt`, `chosen`,
`rejected` and `completion`. Messages beside texts end the run. If a base model is meant to continue
plain texts, the prompts are right as they are.

Versions: GRPO, RLOO, OnlineDPO, XPO and NashMD of every release. Local files of rows are
examined, their first 64 rows, and in a rehearsal the rows that the trainer gets. It is a warning if
the model is a chat model: its eos token ends the template's turns, or its name has a word such as
`Instruct`, `chat` or `it`; else a note. For SFT, DPO, KTO, CPO, ORPO and BCO it is reported for
chat models alone, and not if the prompts have marks of their own (`### Instruction:`, `Reply:` at
the end).

Seen: autocontext#1070, trl#3468, trl#1687. Reproduced with GRPO, SFT and DPO of trl 1.16.0: the ids
that the model gets have no mark of a turn.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import turn_end
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.special_tokens.turn_ends import named_for_chat
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import CHATML, CONFIG, candidate, tokenizer_files

TRAINERS = ("grpo", "rloo", "online_dpo", "xpo", "nash_md")
TAUGHT = ("sft", "dpo", "kto", "cpo", "orpo", "bco")
"""Trainers whose rows have an answer to each prompt."""
ANSWERS = ("chosen", "rejected", "completion")
"""Columns that must be messages if the prompt is."""
OWN_MARKS = re.compile(
    r"(?im)^\s*(?:#{2,}|<\w|\[\w|(?:human|user|question|instruction|input|q|prompt|task)\s*:)"
    r"|(?:assistant|answer|response|output|a|tl;?dr|(?-i:[A-Z])\w+)\s*:\s*$"
)
"""Marks of a form of the rows' own: `### Question`, `Human:`, and a word at the end, `Reply:`."""

SHOWN = 60
"""Characters of a prompt that the finding shows."""


def check(facts: Facts) -> Iterator[Finding]:
    trainer = known_trainer(facts)
    if trainer not in (*TRAINERS, *TAUGHT):
        raise NotConcerned("this trainer gives no prompts to the model")
    words = tokenizer_facts(facts)[tokenizer]
    if words.chat_template is None:
        raise NotConcerned("the tokenizer has no chat template")
    rows = own_rows(facts)
    prompts = [row.get("prompt") for row in rows]
    plain = [prompt for prompt in prompts if isinstance(prompt, str) and prompt.strip()]
    if len(plain) != len(prompts) or any(
        token in text for text in plain for token in words.special
    ):
        return
    chat = _chats(facts)
    if trainer in TAUGHT and (not chat or any(map(OWN_MARKS.search, plain))):
        return
    if trainer == "sft" and not all("completion" in row for row in rows):
        return
    yield Finding(
        facts.run.place(data_key(facts)),
        f"the prompts of {file_name(facts)} are plain texts: the chat template of the model is not "
        f"applied to {plain[0][:SHOWN]!r}",
        remedy=_remedy([name for name in ANSWERS if any(name in row for row in rows)]),
        severity=None if chat else "note",
        follows=("data-messages-are-text",),
    )


def _remedy(answers: Sequence[str]) -> str:
    """What to do: the trainer joins a prompt with its answers, so all must be of one kind."""
    question = '[{"role": "user", "content": …}]'
    if not answers:
        return f"give each prompt as messages: {question}"
    names = ", ".join(("prompt", *answers[:-1])) + f" and {answers[-1]}"
    answer = '[{"role": "assistant", "content": …}]'
    return f"give {names} as messages, all of them: prompt {question}, answers {answer}"


def _chats(facts: Facts) -> bool:
    """Whether the model was trained to chat: a base model rarely has the turn's end as its eos."""
    view = tokenizer_facts(facts)
    if named_for_chat(facts):
        return True
    turn, eos = view.get(turn_end), view[tokenizer].roles.get("eos_token")
    return (
        turn is not None
        and turn.token is not None
        and eos is not None
        and (turn.token == eos.content)
    )


def _files(
    model: str, prompt: str, trainer: str = "grpo", eos: str = "<|endoftext|>", more: str = ""
) -> dict[str, Any]:
    run: dict[str, Json] = {
        "trainer": trainer,
        "model_name_or_path": model,
        "dataset_name": "rows.jsonl",
    }
    files = candidate(run, CONFIG, tokenizer_files(chat_template=CHATML, eos_token=eos))
    renamed = {path.replace("model/", f"{model}/", 1): content for path, content in files.items()}
    return {**renamed, "rows.jsonl": f'{{"prompt": {prompt}{more}}}\n'}


TURN_END = "<|im_end|>"
PAIR = ', "chosen": " Four.", "rejected": " Five."'
ANSWER = ', "completion": " Four."'
REPLY = '"How late is it? Reply:"'
MARKED = '"### Question: What is two and two?"'
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
        Bad(_files("m-1B", QUESTION, eos=TURN_END), says="the prompts of rows.jsonl are plain"),
        Bad(_files("m-1B", QUESTION, "dpo", TURN_END, PAIR), says="the prompts of rows.jsonl"),
        Bad(_files("m-1B", QUESTION, "sft", TURN_END, ANSWER), says="the prompts of rows.jsonl"),
        Good(_files("m-1B", QUESTION, "dpo", more=PAIR)),
        Good(_files("m-1B", MARKED, "sft", TURN_END, ANSWER)),
        Good(_files("m-1B", REPLY, "sft", TURN_END, ANSWER)),
        Good(_files("m-1B-Instruct", MESSAGES)),
        Good(_files("m-1B-Instruct", RENDERED)),
    ),
)
