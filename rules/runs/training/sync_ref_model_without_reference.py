"""sync_ref_model is set, but there is no reference model.

With `beta` 0, the default of newer releases, GRPO and RLOO load no reference model. Newer releases
refuse `sync_ref_model`; older ones ignore it without a warning.

Remedy: set `beta` above 0, or remove `sync_ref_model`.

Versions: trl 1.12.0 to 1.16.0 refuse it; 0.19.1 and 0.24.0 ignore it.

Seen: trl#4912. Reproduced with GRPO with trl 1.16.0: "You passed `sync_ref_model=True` while
`beta=0.0`"; with beta 0.1 it trains. trl 0.19.1 and 0.24.0 train without a reference model.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.library import releases
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

KEY, REFUSED = "sync_ref_model", Version("1.12.0")
CONFIGS = {"grpo": "GRPOConfig", "rloo": "RLOOConfig"}


def check(facts: Facts) -> Iterator[Finding]:
    run, trl = facts.run, trl_of(facts)
    config = CONFIGS.get(known_trainer(facts) or "")
    if config is None or not run.flag(KEY):
        raise NotConcerned("only GRPO and RLOO with sync_ref_model are affected")
    usual = releases.default(trl or releases.newest_release(), config, "beta")
    beta = run.number("beta", float(usual) if usual else None)
    if beta == 0:
        yield Finding(
            run.place(KEY),
            "sync_ref_model is on, but beta is 0: there is no reference model to synchronise",
            severity="warning" if trl and trl < REFUSED else None,
        )


RUN: dict[str, Json] = {"trainer": "grpo", KEY: True}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN}, versions={"trl": "1.16.0"}, says="sync_ref_model is on, but beta is"
        ),
        Bad(
            {"run.json": {**RUN, "beta": 0}},
            versions={"trl": "0.24.0"},
            says="no reference model",
            severity="warning",
        ),
        Good({"run.json": {**RUN, "beta": 0.1}}, versions={"trl": "1.16.0"}),
        Good({"run.json": RUN}, versions={"trl": "0.15.2"}),
        Good({"run.json": {"trainer": "grpo"}}, versions={"trl": "1.16.0"}),
    ),
)
