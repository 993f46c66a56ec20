"""Turns end with a token at which generation does not stop.

The model learns to end its turns with one token, but generation stops at another one: the model
goes on until the length limit. In GRPO every completion is clipped, and there is no warning.

Remedy: add the token that ends a turn to generation_config.json (`"eos_token_id": [151643,
151645]`), or make it the tokenizer's eos_token; SFT has `eos_token: <|im_end|>`.

Versions: GRPO and RLOO read generation_config.json's list from trl 1.14.2 on, OnlineDPO from 1.15.0
on; before that only the tokenizer's eos_token ends a completion.

Seen: trl#3299, trl#2059, open-r1#604, LlamaFactory#7454; reproduced: trl 0.15.2, 0.24.0 and 1.16.0:
GRPO generates to the limit and its clipped_ratio is 1.0, SFT trains 0 of its eos tokens; after the
fix completions end.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Place, Severity
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import first_turn_end
from trl_doctor.facts.model.files import CONFIG as CONFIG_FILE
from trl_doctor.facts.model.files import GENERATION, set_in_memory
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import TOKENIZER as FILE
from trl_doctor.facts.special_tokens import (
    stop_edits,
    token_edits,
    tokenizer_edits,
    tokenizer_facts,
    turn_ends,
)
from trl_doctor.facts.special_tokens.turn_ends import Ends

from ..._recorded.candidate import (
    CONFIG,
    RUN,
    TOKENIZER,
    candidate,
    config_files,
    tokenizer_files,
)

MARK = re.compile(r"<.+>|\[.+\]")
"""What tokens that end a turn look like."""


def check(facts: Facts) -> Iterator[Finding]:
    run_ends = turn_ends.ends(facts)
    turn, data, generates = run_ends.turn, turn_ends.data_kind(facts), turn_ends.generates(facts)
    if turn.token is None:
        raise NotConcerned("the chat template does not end turns with a token")
    if data == "text" and not generates:
        raise NotConcerned("the data are plain text: no chat template is used")
    if known_trainer(facts) == "ppo":
        yield from _ppo(facts, run_ends)
    elif not run_ends.turn_stops and not _ends_later(facts, run_ends, generates):
        yield _finding(facts, run_ends, _severity(facts, data), _consequence(facts))


def _ends_later(facts: Facts, run_ends: Ends, generates: bool) -> bool:
    """Whether the eos follows the turn's end, so that a model trained on it stops after all.

    A model that generates has learnt that only where the eos follows in every turn.
    """
    if run_ends.eos not in run_ends.turn.tokens:
        return False
    first = tokenizer_facts(facts).get(first_turn_end) if generates else run_ends.turn
    return first is not None and run_ends.eos in first.tokens


def _ppo(facts: Facts, run_ends: Ends) -> Iterator[Finding]:
    """PPO ends answers only at its stop token."""
    arguments = facts.run.arguments
    if arguments.get("stop_token") is None and arguments.get("stop_token_id") is None:
        raise NotConcerned("this PPO run has no stop token at all")
    eos = arguments.get("stop_token") == "eos"
    stop = run_ends.eos_id if eos else arguments.get("stop_token_id")
    if not eos and isinstance(stop, int) and not MARK.search(_added(facts, stop)):
        return  # answers are to stop at a word of their own, such as `}`
    if run_ends.turn.id is not None and stop != run_ends.turn.id:
        yield _finding(facts, run_ends, None, "PPOTrainer never stops an answer", fixable=eos)


def _added(facts: Facts, id: int) -> str:
    """The text of an added token; "" for a word of the vocabulary."""
    return turn_ends.added_tokens(facts).get(id, "")


def _finding(
    facts: Facts, run_ends: Ends, severity: Severity | None, consequence: str, fixable: bool = True
) -> Finding:
    file = GENERATION if facts.folder.has(GENERATION) else CONFIG_FILE
    place = Place(facts.folder.file(file), "/eos_token_id")
    if not facts.folder.has(file):
        place = Place(tokenizer_facts(facts).folder.file(FILE), "/eos_token")
    own = set_in_memory(facts, file, "eos_token_id")
    id = f" ({run_ends.turn.id})" if run_ends.turn.id is not None else ""
    stops = (
        turn_ends.shown_ids(facts, run_ends.stops) if run_ends.stops else run_ends.eos or "nothing"
    )
    return Finding(
        own or place,
        f"turns end with {run_ends.turn.token}{id}, generation stops at {stops}: {consequence}",
        evidence=(*turn_ends.end_evidence(facts, run_ends), *_open(run_ends)),
        fix=_fix(facts, run_ends) if fixable and own is None else None,
        remedy=f"make {run_ends.turn.token} the eos token in this script" if own else "",
        severity=severity,
    )


def _open(run_ends: Ends) -> Iterator[str]:
    """Why there is no repair."""
    if run_ends.turn.ends_others:
        token = run_ends.turn.token
        yield f"{token} also ends other messages of the template: is it the turn's end?"


def _fix(facts: Facts, run_ends: Ends) -> Fix | None:
    """List the turn's end, or name it where the tokenizer alone is read, or may be.

    The tokenizer's eos counts in every release, the list in newer ones only.
    """
    token, id = str(run_ends.turn.token), run_ends.turn.id
    if run_ends.turn.ends_others:
        return None
    message = f'make "{token}" the eos token'
    if not facts.folder.has(CONFIG_FILE):
        return Fix(message, tuple(tokenizer_edits(tokenizer_facts(facts).folder, "eos", token)))
    if id is None:
        return None
    unknown = trl_of(facts) is None and turn_ends.generates(facts)
    if unknown or not turn_ends.reads_list(facts) or known_trainer(facts) == "ppo":
        return Fix(message, token_edits(facts, "eos", token, id))
    ids = [*run_ends.listed, id]
    return Fix(f"set eos_token_id to {ids}", tuple(stop_edits(facts, ids)))


def _severity(facts: Facts, data: turn_ends.Data) -> Severity | None:
    if data == "conversations" or (data == "open" and turn_ends.generates(facts)):
        return None
    return "warning" if data == "open" else "note"


def _consequence(facts: Facts) -> str:
    name, trl = known_trainer(facts), trl_of(facts)
    if name is None:
        return "a model that is trained on conversations goes on after its turn"
    trainer = f"{TRAINERS[name].trainer}{f' of trl {trl}' if trl else ''}"
    if turn_ends.generates(facts):
        return f"{trainer} lets completions run to the length limit"
    return f"{trainer} on conversations teaches an end at which generation does not stop"


OTHER = tokenizer_files(eos_token="<|endoftext|>")
OTHER_IDS = config_files({"eos_token_id": 4}, eos_token_id=4)
TWO_ENDS = tokenizer_files(
    eos_token="<|endoftext|>",
    chat_template="{% for m in messages %}<|im_start|>{{ m.role + '\\n' + m.content }}<|im_end|>"
    "<|endoftext|>{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\\n{% endif %}",
)
LISTED = config_files({"eos_token_id": 4}, eos_token_id=[4, 6])
NAMED = {
    "model/tokenizer_config.json": TOKENIZER["tokenizer_config.json"],
    "model/config.json": CONFIG["config.json"],
    "model/generation_config.json": CONFIG["generation_config.json"],
}
SFT = {**RUN, "trainer": "sft"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate(RUN, OTHER, OTHER_IDS),
            versions={"trl": "1.16.0"},
            says="turns end with <|im_end|> (6), generation stops at <|endoftext|> (4)",
            fixed={"model/generation_config.json": LISTED["generation_config.json"]},
        ),
        Bad(
            candidate(RUN, OTHER, OTHER_IDS),
            versions={"trl": "0.24.0"},
            says="GRPOTrainer of trl 0.24.0",
            fixed=NAMED,
        ),
        Bad(candidate(RUN, OTHER, OTHER_IDS), says="turns end with <|im_end|>", fixed=NAMED),
        Bad(
            candidate({**SFT, "dataset_format": None}, OTHER, OTHER_IDS),
            says="on conversations",
            severity="warning",
            fixed={"model/generation_config.json": LISTED["generation_config.json"]},
        ),
        Bad(
            candidate({**RUN, "trainer": "ppo", "stop_token": "eos"}, OTHER, OTHER_IDS),
            says="PPOTrainer never stops an answer",
            fixed=NAMED,
        ),
        Good(candidate({**RUN, "trainer": "ppo", "stop_token_id": 0}, OTHER, OTHER_IDS)),
        Good(candidate({**SFT, "dataset_format": "text"}, OTHER, OTHER_IDS)),
        Good(candidate(RUN, TOKENIZER, CONFIG)),
        Good(candidate(RUN, OTHER, LISTED)),
        Good(candidate(RUN, TWO_ENDS, OTHER_IDS)),
    ),
)
