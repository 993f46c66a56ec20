"""The script fills a text column with tokens.

`tokenizer.apply_chat_template(…)` returns tokens unless the call has `tokenize=False`. The trainer
expects a text in this column and tokenizes it itself: it fails while it prepares the data, or at
the first batch.

Remedy: write `tokenize=False` into the call, or give the trainer the messages themselves: it
applies the template.

Versions: every trl and transformers. A processor's `apply_chat_template` returns a text by default.

Seen: reproduced with trl 1.16.0 (transformers 5.23.0) and 0.24.0 (4.57.6): SFT on a column `text`
fails with "object has no attribute 'endswith'", GRPO on a column `prompt` with "text input must be
of type `str`".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.columns import columns_left
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.tokens import TokensCall, made_of_tokens

from ..._recorded.scripts import script

COLUMNS = {"sft": "text", "grpo": "prompt"}


def check(facts: Facts) -> Iterator[Finding]:
    values, trainer = passed(facts), known_trainer(facts)
    if trainer not in COLUMNS:
        raise NotConcerned("the trainer is not SFTTrainer or GRPOTrainer")
    column, data = COLUMNS[trainer], values.given("train_dataset")
    if trainer == "sft" and not _read(facts, values, column):
        return
    maker = made_of_tokens(data, column)
    if maker:
        yield Finding(
            _place(values, maker),
            f"the column {column} gets tokens, and the trainer expects texts: "
            "apply_chat_template has no tokenize=False",
            remedy="write tokenize=False, or give the trainer the messages",
        )


def _read(facts: Facts, values: Passed, column: str) -> bool:
    """Whether SFT surely reads this column: there is no other that it prefers."""
    name = facts.run.arguments.get("dataset_text_field")
    if values.has("formatting_func") or name not in (None, column):
        return False
    return columns_left(values.given("train_dataset")).only == frozenset((column,))


def _place(values: Passed, call: TokensCall) -> Place:
    place = values.places["train_dataset"]
    if place.file.suffix != ".py" or call.source:
        return place
    return Place(place.file, spot=call.spot)


HEAD = "from transformers import {0}\ntokenizer = {0}.from_pretrained('org/m')\n"
TEXT = "rows = rows.map(lambda row: {{'text': {}}}, remove_columns=rows.column_names)\n"
CALL = "tokenizer.apply_chat_template(row['messages'])"
PROMPT = """\
def form(row):
    messages = [{'role': 'user', 'content': row['question']}]
    prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True)
    return {'prompt': prompt, 'answer': row['answer']}
rows = rows.map(form)
"""
TRL = {"trl": "1.16.0"}
SFT = HEAD.format("AutoTokenizer") + TEXT.format(CALL)
GRPO = HEAD.format("AutoTokenizer") + PROMPT
PLAIN = GRPO.replace("_prompt=True", "_prompt=True, tokenize=False")
PROCESSOR = HEAD.format("AutoProcessor") + PROMPT
BESIDE = HEAD.format("AutoTokenizer") + TEXT.format(CALL).replace(
    ", remove_columns=rows.column_names", ""
)
SAYS = "gets tokens, and the trainer expects texts"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(script("SFT", "model='org/m'", before=SFT), "train.py", versions=TRL, says=SAYS),
        Bad(script("GRPO", "model='org/m'", before=GRPO), "train.py", versions=TRL, says=SAYS),
        Good(script("GRPO", "model='org/m'", before=PLAIN), "train.py", versions=TRL),
        Good(script("GRPO", "model='org/m'", before=PROCESSOR), "train.py", versions=TRL),
        Good(script("SFT", "model='org/m'", before=BESIDE), "train.py", versions=TRL),
        Good(script("DPO", "model='org/m'", before=SFT), "train.py", versions=TRL),
    ),
)
