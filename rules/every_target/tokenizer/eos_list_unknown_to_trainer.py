"""The trainer ignores the eos list and misses the turn's end.

generation_config.json lists the token that ends a turn, but the trainer reads only the tokenizer's
eos_token. Completions run to the length limit and count as truncated, although they ended.

Remedy: upgrade trl, or make the token that ends a turn the tokenizer's eos_token.

Versions: GRPO and RLOO before trl 1.14.2, OnlineDPO before 1.15.0, XPO and Nash-MD in every
release. Up to 0.15.2 GRPO stops generation at the listed tokens, and trains on the padding after
them.

Seen: trl#7039 (Phi-3.5, gemma-3-it); reproduced: GRPO with such a list: mean length 24 of 24 and
clipped_ratio 1.0 with trl 0.16.1, 0.24.0 and 1.14.1, 3.5 and 0.0 with 1.14.2, and with the older
ones after the fix.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import token_edits, tokenizer_facts, turn_ends
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import (
    CONFIG,
    RUN,
    TOKENIZER,
    candidate,
    config_files,
    tokenizer_files,
)

STOPPED = Version("0.16.0")
"""Before this release GRPO stopped at the listed tokens and masked after the tokenizer's eos."""


def check(facts: Facts) -> Iterator[Finding]:
    name, trl = known_trainer(facts), trl_of(facts)
    if name not in turn_ends.READS_LIST:
        raise NotConcerned("GRPO, RLOO and OnlineDPO runs (and older XPO, Nash-MD)")
    since = turn_ends.READS_LIST[name]
    if trl is not None and since and trl >= Version(since):
        raise NotConcerned(f"{TRAINERS[name].trainer} of trl {trl} reads the whole list")
    run_ends = turn_ends.ends(facts)
    id, token = run_ends.turn.id, run_ends.turn.token
    if id is None or token is None or id not in run_ends.listed or run_ends.eos in (None, token):
        return
    eos = tokenizer_facts(facts)[tokenizer].eos
    old = f" of trl {trl}" if trl else f" before trl {since}" if since else ""
    runs_on = trl is None or trl >= STOPPED
    consequence = (
        "completions run to the limit" if runs_on else ("the mask includes what follows the end")
    )
    yield Finding(
        eos.place if eos else facts.run.place("eos_token"),
        f"turns end with {token} ({id}), which generation_config.json lists, but "
        f"{TRAINERS[name].trainer}{old} uses only {run_ends.eos}: {consequence}",
        evidence=turn_ends.end_evidence(facts, run_ends),
        fix=None
        if run_ends.turn.ends_others
        else Fix(f'make "{token}" the eos token', token_edits(facts, "eos", token, id)),
        severity="note" if trl is None or turn_ends.data_kind(facts) == "text" else None,
    )


OTHER = tokenizer_files(eos_token="<|endoftext|>")
LISTED = config_files({"eos_token_id": 4}, eos_token_id=[4, 6])
FIXED = {f"model/{name}": content for name, content in {**TOKENIZER, **CONFIG}.items()}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate(RUN, OTHER, LISTED),
            versions={"trl": "1.14.1"},
            says="GRPOTrainer of trl 1.14.1 uses only <|endoftext|>: completions run to the limit",
            fixed=FIXED,
        ),
        Bad(
            candidate(RUN, OTHER, LISTED),
            versions={"trl": "0.15.2"},
            says="the mask includes what follows the end",
            fixed=FIXED,
        ),
        Bad(candidate(RUN, OTHER, LISTED), says="before trl 1.14.2", severity="note", fixed=FIXED),
        Good(candidate(RUN, OTHER, LISTED), versions={"trl": "1.14.2"}),
        Good(candidate(RUN, TOKENIZER, CONFIG), versions={"trl": "1.14.1"}),
    ),
)
