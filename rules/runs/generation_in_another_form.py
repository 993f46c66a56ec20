"""Prompts for generation lack the form of the training rows.

All rows that are trained begin with a mark, as the chat template's `<|im_start|>`, a heading such
as `### Question:`, or a sentence (`Below is an instruction …`) that the heading of an answer
follows (`### Response:`). After the training the script generates from texts that do not have it.
The model has learnt to answer in this form only: its answers to plain texts are those of the
untrained model, or run on. What the script computes from them says little about the training. Or
its prompts begin with two bos tokens: the chat template has written one, and the tokenizer puts
another one before the text. No row of the training begins so. Or it asks with
`enable_thinking=False`, for which the template opens each answer with an empty thought, and no row
of the training has thoughts. There is no error.

Remedy: render the prompts as the rows are: with `apply_chat_template(messages,
add_generation_prompt=True)`, or by the function that makes the rows' texts, without the answer.
Give texts that the chat template has rendered to the tokenizer with `add_special_tokens=False`.
Make the rows with the arguments of the template that the prompts have (`enable_thinking=False`).

Versions: every trl; trainers whose rows are tokenized before the training, as SFT and DPO. Only a
rehearsal sees it, and only where the script calls `generate` with the trained model, or with any
that is given two bos tokens.

Seen: reproduced with SFT of trl 1.16.0: a model that has learnt four answers by heart gives three
of them to rendered prompts, and none to plain ones. FasterTransformer#634: the same with a
template that begins with a sentence; a prompt that has one of its headings is not told. Soup#781:
with a template that writes the bos token a training on chats has one in each row, and the prompts
have two. LlamaFactory#9092: a model that has learnt four answers behind a plain opening gives the
right one to one of four questions that are asked without thinking, and to all four where the
rows were made so.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "prompts of another form"
MESSAGES = {
    WHAT: "{place} generates from prompts without {0!r}, with which all rows of the training begin"
}

TWICE = "prompts begin twice"
BEGINS = {
    TWICE: "{place} generates from prompts that begin with {0} twice; no row of the training does: "
    "the chat template writes one, and the tokenizer adds another one"
}
OPENED = {
    "opening of no row": "{place} opens the answer with {0!r} ({1}), which no row of the "
    "training has"
}
ALIKE = "make the rows of the training with the same arguments of the template"
REMEDY = "give the rendered text to the tokenizer with add_special_tokens=False"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES)
    yield from mistake_findings(facts, BEGINS, remedy=REMEDY)
    yield from mistake_findings(facts, OPENED, remedy=ALIKE)


def examples() -> Examples:
    from .._recorded.rehearsal import mistake, no_mistake

    says = "train.py:30 generates from prompts without '<|im_start|>'"
    opens = "train.py:30 opens the answer with '<think>' (thinking=False), which no row of the"
    twice = "train.py:30 generates from prompts that begin with <s> twice"
    return (
        mistake(WHAT, ("<|im_start|>",), "train.py:30", says),
        mistake(TWICE, ("<s>",), "train.py:30", twice),
        mistake("opening of no row", ("<think>", "thinking=False"), "train.py:30", opens),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
