"""assistant_only_loss needs a template that marks the answers.

The loss is meant for the assistant's messages only, but the chat template does not mark them: it
has no `{% generation %}` block, or no answer is inside one. Or the rows are texts, which have no
messages. SFT stops while it prepares the data set, after the model was loaded on every GPU.

Remedy: in the chat template write `{% generation %}` before the content of an assistant's message
and `{% endgeneration %}` after the token that ends the turn. Or switch assistant_only_loss off and
use prompt and completion columns: then the loss is on the completion by default.

Versions: SFT, trl 0.19.0 and newer. From 1.1.0 on TRL replaces the templates that it knows by its
own ones with such blocks. It recognises only exact copies: one changed character, and it refuses
the template.

Seen: transformers#34172, trl#4201, training_hub#104 (texts: trl 0.24.0 and 1.16.0); reproduced with
SFT on a ChatML template: trl 0.19.1 and 0.24.0 fail with "at least one example has no assistant
tokens", 1.16.0 with "The chat template is not training-compatible". 1.16.0 trains with Qwen2.5's
own template and refuses it with a word changed. If the block contains no answer, all three fail
with the first message; if it contains the answers, they label the answers and nothing else.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import chat, template_place
from trl_doctor.facts.measured.processing import processing_given
from trl_doctor.facts.rows.images import refuses_processor, sees
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import is_tokenizer
from trl_doctor.facts.special_tokens import tokenizer_facts

from ..._recorded.candidate import (
    CHATML,
    CONFIG,
    RUN,
    candidate,
    tokenizer_files,
    under,
)
from ..._recorded.scripts import script

FIRST, SWAPS = Version("0.19.0"), Version("1.1.0")
"""From these on: the argument is there; TRL replaces templates that it knows."""

KEY = "assistant_only_loss"
MARK = re.compile(r"\{%-?\s*generation\s*-?%\}")


def check(facts: Facts) -> Iterator[Finding]:
    trl, view = _concerned(facts), tokenizer_facts(facts)
    if _are_texts(facts):
        yield Finding(
            facts.run.place(KEY),
            f"{KEY} is on, and the rows are texts: SFTTrainer{f' of trl {trl}' if trl else ''} "
            "refuses the data set",
            remedy="give the rows as messages, which the chat template divides into turns; or "
            f"switch {KEY} off",
        )
        return
    chat_format = view[chat]
    if any(
        end > start for start, end in chat_format.renderings.rendered("conversation").generation
    ):
        return
    marked = MARK.search(chat_format.template.text) is not None
    if not marked and (trl is None or trl >= SWAPS) and _swapped(facts, chat_format.template.text):
        return
    says = (
        "no {% generation %} block of the chat template contains an answer"
        if marked
        else "the chat template has no {% generation %} block"
    )
    yield Finding(
        template_place(view),
        f"{says}, and assistant_only_loss is on: SFTTrainer{f' of trl {trl}' if trl else ''} "
        "refuses the data set",
        evidence=()
        if marked or trl is None or trl < SWAPS
        else ("TRL does not know this template",),
    )


def _are_texts(facts: Facts) -> bool:
    """Whether rows are here, and no column has messages."""
    try:
        rows = own_rows(facts)
    except (NotConcerned, Unavailable):
        return False
    return not any(isinstance(value, list | dict) for row in rows for value in row.values())


def _concerned(facts: Facts) -> Version | None:
    """The target's trl; raises `NotConcerned` if the loss is not limited to the assistant's
    messages."""
    trl = trl_of(facts)
    if known_trainer(facts) != "sft" or not facts.run.flag(KEY):
        raise NotConcerned("only SFT with assistant_only_loss is affected")
    if trl is not None and trl < FIRST:
        raise NotConcerned(f"trl {trl} has no assistant_only_loss")
    if refuses_processor(trl) and sees(facts) and not is_tokenizer(processing_given(facts)):
        raise NotConcerned("argument-refused-for-images examines it: TRL refuses it sooner")
    return trl


def _swapped(facts: Facts, text: str) -> bool:
    """Whether the target's TRL replaces a template; raises `Unavailable` without its sources."""
    folder = facts.environment.source("trl")
    if folder is None:
        raise Unavailable(
            "which templates trl replaces by its own is not known without its sources"
        )
    return text in _bundled(folder)


def _bundled(trl: Path) -> set[str]:
    """The templates for which an installed TRL has one for training."""
    folder, templates = trl / "chat_templates", set()
    for training in sorted(folder.glob("*_training.jinja")):
        original = training.with_name(training.name.replace("_training", ""))
        try:
            templates.add(original.read_text("utf-8"))
        except (OSError, UnicodeDecodeError):
            raise Unavailable(f"{original} cannot be read") from None
    return templates


BLOCK = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{% if message['role'] == 'assistant' %}{% generation %}{{ message['content'] + '<|im_end|>' }}"
    "{% endgeneration %}{% else %}{{ message['content'] + '<|im_end|>' }}{% endif %}"
    "{{ '\n' }}{% endfor %}"
)
SFT = {**RUN, "trainer": "sft", "assistant_only_loss": True}
FOUR, NOW = {"trl": "0.24.0", "transformers": "4.57.6"}, {"trl": "1.16.0"}
MARKED = tokenizer_files(chat_template=BLOCK)
STRANGER = tokenizer_files(chat_template=BLOCK.replace("== 'assistant'", "== 'model'"))
OWN = script(
    "SFT",
    "model='model', processing_class=tokenizer",
    "assistant_only_loss=True",
    before="from transformers import AutoTokenizer\n"
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
    "with open('own.jinja') as file:\n    tokenizer.chat_template = file.read()\n",
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="assistant|training-compatible",
    examples=(
        Bad(
            candidate(SFT, tokenizer_files(chat_template=CHATML), CONFIG),
            versions=FOUR,
            says="has no {% generation %} block, and assistant_only_loss is on: SFTTrainer of trl",
        ),
        Bad(
            candidate(SFT, STRANGER, CONFIG),
            versions=NOW,
            says="no {% generation %} block of the chat template contains an answer",
        ),
        Bad(
            {**OWN, "own.jinja": CHATML, **under("model", MARKED, CONFIG)},
            "train.py",
            versions=FOUR,
            says="the chat template has no {% generation %} block",
        ),
        Bad(
            {
                **candidate({**SFT, "dataset_name": "rows.jsonl"}, MARKED, CONFIG),
                "rows.jsonl": '{"text": "What is two and two? Four."}\n',
            },
            versions=NOW,
            says="assistant_only_loss is on, and the rows are texts: SFTTrainer of trl 1.16.0",
        ),
        Good(
            {**OWN, "own.jinja": BLOCK, **under("model", tokenizer_files(), CONFIG)},
            "train.py",
            versions=FOUR,
        ),
        Good(candidate(SFT, MARKED, CONFIG), versions=FOUR),
        Good(candidate(SFT, MARKED, CONFIG), versions=NOW),
        Good(
            candidate(SFT, tokenizer_files(), CONFIG), versions=NOW, skipped="without its sources"
        ),
        Good(
            candidate({**SFT, "assistant_only_loss": False}, tokenizer_files(), CONFIG),
            versions=FOUR,
        ),
        Good(candidate(SFT, tokenizer_files(), CONFIG), versions={"trl": "0.18.2"}),
    ),
)
