"""The penalty for unfinished answers looks at the prompt.

XPO and NashMD take `missing_eos_penalty` from answers without the eos token. They look for it in
the whole sequence, the prompt included. The chat template ends the user's turn with the eos: every
sequence has one, and no answer is ever punished, also if none of them ends.

Remedy: train with OnlineDPO, which looks at the answer alone. Or remove `missing_eos_penalty`, and
take the penalty in a class of your own that extends the trainer: its method `_compute_rewards` gets
the prompt's length, and `input_ids[:, context_length:]` is the answer. These two trainers take no
reward functions.

Versions: trl 0.11.0 to 1.13.0, the last with these trainers.

Seen: trl#6805, TRLD-6805. Reproduced with XPO of trl 1.12.0, answers that do not end and a penalty
of 1000: the mean score is near zero; with another eos token it is near -1000.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import chat
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import tokenizer_facts, turn_ends

from ..._recorded.candidate import CONFIG, TOKENIZER, candidate, tokenizer_files

PENALTY = "missing_eos_penalty"
FIRST, LAST = Version("0.11.0"), Version("1.13.0")


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in ("xpo", "nash_md"):
        raise NotConcerned("only XPO and NashMD look for the eos in the prompt")
    trl, penalty = trl_of(facts), facts.run.number(PENALTY)
    if not penalty or (trl is not None and not FIRST <= trl <= LAST):
        return
    eos = turn_ends.ends(facts).eos
    prompt = tokenizer_facts(facts)[chat].renderings.text("prompt")
    if eos and eos in prompt and turn_ends.data_kind(facts) == "conversations":
        yield Finding(
            facts.run.place(PENALTY),
            f"every prompt has a {eos}, which the template writes after the question, and the "
            f"trainer takes it for the end of the answer: {PENALTY} is never taken from a score",
            remedy="train with OnlineDPO, or take the penalty in _compute_rewards of a class of "
            "your own, from input_ids[:, context_length:]",
            evidence=(f"the template makes {prompt!r} of a question",),
        )


RUN: dict[str, Json] = {
    "trainer": "xpo",
    "model_name_or_path": "model",
    "dataset_format": "conversational",
}
XPO: dict[str, Json] = {**RUN, PENALTY: 1.0}
LATE = {"trl": "1.12.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            candidate(XPO, TOKENIZER, CONFIG),
            versions=LATE,
            says="every prompt has a <|im_end|>, which the template writes after the question",
        ),
        Bad(
            candidate({**XPO, "trainer": "nash_md"}, TOKENIZER, CONFIG),
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
            says="missing_eos_penalty is never taken from a score",
        ),
        Good(candidate(RUN, TOKENIZER, CONFIG), versions=LATE),
        Good(candidate({**XPO, "dataset_format": "text"}, TOKENIZER, CONFIG), versions=LATE),
        Good(candidate(XPO, tokenizer_files(eos_token="<|endoftext|>"), CONFIG), versions=LATE),
        Good(candidate({**XPO, "trainer": "online_dpo"}, TOKENIZER, CONFIG), versions=LATE),
    ),
)
