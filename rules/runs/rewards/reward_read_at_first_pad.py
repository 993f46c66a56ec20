"""The score is read at the end of the question.

Old transformers look for the first pad token of a row, and read the score at the token before it.
If the token that ends a turn is the pad token too (`pad_token = eos_token`), they find the end of
the first turn: the score is that of the question alone. The chosen and the rejected answer get the
same score, and the loss stays at 0.693.

Remedy: use another pad token, one that occurs in no text, for the tokenizer and for
`model.config.pad_token_id`. Or install transformers 4.51 or newer, which look for the last token
that is no padding.

Versions: RewardTrainer on conversations with transformers to 4.48.3; the installed source of the
model is read.

Seen: RLHF-Reward-Modeling#49. Reproduced with RewardTrainer of trl 0.12.2, transformers 4.46.3 and
a Llama whose turns end with <|im_end|>: all scores are equal; with another pad token they differ.
"""

import re
from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.chat_template import first_turn_end
from trl_doctor.facts.library import sources
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import CONFIG, candidate, tokenizer_files

FIRST = re.compile(r"torch\.eq\(input_ids, self\.config\.pad_token_id\)\.\w+\(\)\.argmax\(-1\) - 1")
LAST_KNOWN = Version("4.48.3")


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) != "reward":
        raise NotConcerned("only a reward model reads a score at the end of a row")
    version = facts.environment.version("transformers")
    if version is None:
        raise Unavailable("transformers is not installed, and its version is not stated")
    if version > LAST_KNOWN:
        raise NotConcerned("this transformers looks for the last token that is no padding")
    view = tokenizer_facts(facts)
    words, turn = view[tokenizer], view[first_turn_end]
    if words.pad is None or turn.token != words.pad.content:
        return
    if not facts[dataset.kind].conversational or not _reads_first(facts):
        return
    yield Finding(
        words.pad.place,
        f"the pad token {words.pad.content} ends each turn: transformers {version} reads the score "
        "at the end of the question, which is the same for both answers",
        remedy="use another pad token that occurs in no text, also for model.config.pad_token_id; "
        "or install transformers 4.51 or newer",
    )


def _reads_first(facts: Facts) -> bool:
    """Whether the model's class looks for the first pad token, where its source is here."""
    kind = facts.at(facts.run.policy)[model_config].get("model_type", 0)
    text = sources(facts.environment).text(f"transformers.models.{kind}.modeling_{kind}")
    return text is None or bool(FIRST.search(text))


def _files(pad: str, conversational: bool = True) -> dict[str, Json]:
    run: dict[str, Json] = {
        "trainer": "reward",
        "model_name_or_path": "model",
        "dataset_name": "org/pairs",
        "dataset_format": "conversational" if conversational else "text",
    }
    return candidate(run, CONFIG, tokenizer_files(pad_token=pad))


OLD = {"trl": "0.12.2", "transformers": "4.46.3"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _files("<|im_end|>"),
            versions=OLD,
            says="the pad token <|im_end|> ends each turn: transformers 4.46.3 reads the score",
        ),
        Good(_files("<|fim_pad|>"), versions=OLD),
        Good(_files("<|im_end|>", conversational=False), versions=OLD),
        Good(_files("<|im_end|>"), versions={"trl": "0.19.1", "transformers": "4.51.3"}),
    ),
)
