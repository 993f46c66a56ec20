"""DPO of this release ignores f_divergence_type.

The trainer compares the argument with strings, and a member of `FDivergenceType` equals none of
them: it trains with the reverse KL, without a warning. TRL's commands and parsers turn the value
from a file or a command line into such a member. In a script the string itself works.

Remedy: install trl 0.24 or newer; or write the string into the script:
`DPOConfig(f_divergence_type="js_divergence")`.

Versions: trl before 0.24.

Seen: trl#4171. Reproduced with trl 0.12.2 and 0.19.1: with `FDivergenceType.JS_DIVERGENCE` the loss
of a pair is the loss of the reverse KL, with `"js_divergence"` it is not.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import constructed, member, passed

from ..._recorded.scripts import script

KEY, FIXED = "f_divergence_type", Version("0.24.0")
LOST = ("js_divergence", "alpha_divergence")


def check(facts: Facts) -> Iterator[Finding]:
    trl = trl_of(facts)
    if known_trainer(facts) != "dpo" or trl is None or trl >= FIXED:
        raise NotConcerned(f"only DPO of trl before {FIXED} compares {KEY} with texts")
    kind = _member(facts)
    if kind in LOST:
        yield Finding(
            facts.run.place(KEY),
            f"{KEY} is {kind} as a member of FDivergenceType: trl {trl} trains with the reverse KL",
        )


def _member(facts: Facts) -> Json:
    """The divergence that becomes a member of the class; None if there is none."""
    run = facts.run
    if run.script.passed is None:
        if rehearsed(facts):  # which shows a member as its text
            raise NotConcerned(f"whether {KEY} is a text is read from the script alone")
        return run.arguments.get(KEY)
    config = constructed(passed(facts).values.get("args"))
    value = config.keywords.get(KEY) if config else None
    if value and member(value.value):
        return member(value.value).lower()
    return run.arguments.get(KEY) if config and config.parsed else None


def _files(value: str) -> dict[str, Json]:
    before = "from trl import FDivergenceType\n"
    return script("DPO", "model='m'", f"{KEY}={value}", before)


OLD = {"trl": "0.19.1"}
RUN: dict[str, Json] = {"trainer": "dpo", "model_name_or_path": "m", KEY: "js_divergence"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _files("FDivergenceType.JS_DIVERGENCE"),
            "train.py",
            versions=OLD,
            says="f_divergence_type is js_divergence as a member of FDivergenceType",
        ),
        Bad({"run.json": RUN}, versions=OLD, says="trl 0.19.1 trains with the reverse KL"),
        Good(_files("'js_divergence'"), "train.py", versions=OLD),
        Good(_files("FDivergenceType.REVERSE_KL"), "train.py", versions=OLD),
        Good({"run.json": RUN}, versions={"trl": "1.16.0"}),
        Good({"run.json": {**RUN, "trainer": "sft"}}, versions=OLD),
    ),
)
