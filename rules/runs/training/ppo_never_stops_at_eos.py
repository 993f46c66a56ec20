"""PPO generates past the end of the response.

PPOTrainer ignores the end-of-sequence token unless the run names a stop token. Every response then
has response_length tokens, and what follows the end is scored and trained on.

Remedy: set `stop_token: eos`.

Versions: trl 0.12.0 to 1.12.0; the default never changed. Up to 0.13.0 no option stops the
generation itself: a stop token only cuts the copy that is scored. From 0.14.0 on "eos" is the only
stop token; for other tokens there is stop_token_id.

Seen: trl#2387, trl#2528. Reproduced with a policy that always generates EOS: trl 0.12.2, 0.13.0,
0.15.2, 0.24.0 and 1.12.0 generate all 12 tokens; with `stop_token: eos` one token from 0.14.0 on,
12 before.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, Remove, Severity, pointer
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import eos_ids
from trl_doctor.facts.model.ppo import release
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded import candidate as examples

STOPS = Version("0.14.0")
"""From this release on a stop token stops the generation itself."""


def check(facts: Facts) -> Iterator[Finding]:
    trl, run = release(facts), facts.run
    token, number = run.arguments.get("stop_token"), run.arguments.get("stop_token_id")
    length = run.arguments.get("response_length", 53)
    if token is None and number is None:
        yield _endless(facts, trl, length)
    elif trl >= STOPS and token and number:
        message = f"stop_token and stop_token_id are both set: trl {trl} raises a ValueError"
        yield Finding(run.place("stop_token_id"), message, fix=_without_id(facts, number))
    elif token not in (None, "eos"):
        does = "raises a ValueError" if trl >= STOPS else "ignores it and never stops"
        message = f"stop_token is {token!r}: trl {trl} accepts only 'eos', and {does}"
        yield Finding(run.place("stop_token"), message, fix=_by_name(facts, token))
    if trl < STOPS:
        key = "response_length"
        yield Finding(
            run.place(key) if key in run.arguments else run.place(),
            f"trl {trl} generates all {length} tokens of every response: "
            f"no option stops it before {STOPS}",
            severity="warning",
            remedy=f"install trl {STOPS} or newer",
        )


def _endless(facts: Facts, trl: Version, length: Json) -> Finding:
    said_null = "stop_token" in facts.run.arguments
    place = facts.run.place("stop_token") if said_null else facts.run.place()
    message = (
        f"no stop token is set: PPOTrainer of trl {trl} generates all {length} tokens of every "
        "response and trains on what follows the end"
    )
    sources = facts.get(eos_ids) or ()
    trained = facts.at(facts.run.folder_of("tokenizer")).get(tokenizer)
    eos = trained.eos if trained else None
    evidence = [f"{source.name} stops at {', '.join(map(str, source.ids))}" for source in sources]
    # the files say already that a response ends there; the trainer overrules them
    safe = any(
        eos is not None and eos.id in source.ids for source in sources if source.name != "tokenizer"
    )
    edit = Put(facts.run.target.path, pointer("stop_token"), "eos")
    fix = Fix("set stop_token to eos", (edit,), safe)
    severity: Severity | None = "warning" if said_null else None  # perhaps it is meant so
    return Finding(place, message, tuple(evidence), fix, severity)


def _without_id(facts: Facts, number: Json) -> Fix | None:
    """Remove the id if it is the tokenizer's eos, which stop_token names."""
    trained = facts.at(facts.run.folder_of("tokenizer")).get(tokenizer)
    if trained is None or trained.eos is None or trained.eos.id != number:
        return None
    out = Remove(facts.run.target.path, pointer("stop_token_id"))
    return Fix("remove stop_token_id: stop_token already names this token", (out,))


def _by_name(facts: Facts, token: Json) -> Fix | None:
    """Write `eos` if the token is the tokenizer's eos."""
    trained = facts.at(facts.run.folder_of("tokenizer")).get(tokenizer)
    if trained is None or trained.eos is None or trained.eos.content != token:
        return None
    return Fix("set stop_token to eos", (Put(facts.run.target.path, "/stop_token", "eos"),))


RUN: dict[str, Json] = {"trainer": "ppo", "model_name_or_path": "model", "response_length": 64}
FILES = (examples.TOKENIZER, examples.CONFIG)
STOPPED: dict[str, Json] = {**RUN, "stop_token": "eos"}
PINNED = {"trl": "1.12.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            examples.candidate(RUN, *FILES),
            versions=PINNED,
            says="no stop token is set: PPOTrainer of trl 1.12.0 generates all 64 tokens",
            fixed={"run.json": STOPPED},
        ),
        Bad(
            examples.candidate({**RUN, "stop_token": None}, *FILES),
            versions=PINNED,
            severity="warning",
            fixed={"run.json": STOPPED},
        ),
        Bad(
            examples.candidate({**STOPPED, "stop_token_id": 6}, *FILES),
            versions=PINNED,
            says="are both set",
            fixed={"run.json": STOPPED},
        ),
        Bad(
            examples.candidate({**RUN, "stop_token": "<|im_end|>"}, *FILES),
            versions=PINNED,
            says="accepts only 'eos', and raises a ValueError",
            fixed={"run.json": STOPPED},
        ),
        Bad(
            {"run.json": STOPPED},
            versions={"trl": "0.12.2"},
            says="trl 0.12.2 generates all 64 tokens of every response",
            severity="warning",
        ),
        Good({"run.json": STOPPED}, versions=PINNED),
        Good({"run.json": {**RUN, "stop_token_id": 6}}),
        Good({"run.json": {**RUN, "trainer": "grpo"}}),
    ),
)
