"""The reward model has other token ids than the policy.

PPO, and RLOO before trl 0.22.0, give token ids to the reward and value model, not text. A model
that was trained with another tokenizer reads another text behind these ids: its rewards say nothing
about the completion. No error is raised, and the log has numbers as always.

Remedy: use a reward model that was trained with the policy's tokenizer, or train one from the
policy. GRPO, and RLOO since trl 0.22.0, decode the completion and encode it again with the reward
model's own tokenizer.

Versions: PPO: every release. RLOO: before trl 0.22.0.

Seen: trl#1979; reproduced: RLOO of trl 0.12.2 with a reward model whose tokenizer numbers the same
tokens otherwise: the run ends without an error, and the ids that the reward model gets decode to
another text. PPO gives ids in 0.12.2 and in 1.12.0: a reward model with fewer rows ends it with
"index out of range in self".
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import Role
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.facts.tokenizer.same_ids import differing_ids

from ..._recorded.candidate import CONFIG, TOKENIZER, renumbered, tokenizer_files, under

GIVES_TEXT = Version("0.22.0")
"""From this trl on RLOO gives texts to the reward model."""

ROLES: tuple[Role, ...] = ("reward", "value")


def check(facts: Facts) -> Iterator[Finding]:
    run, trl = facts.run, facts.environment.version("trl")
    name = getattr(run.trainer, "name", "")
    if name != "ppo" and not (name == "rloo" and trl and trl < GIVES_TEXT):
        raise NotConcerned("this trainer gives texts to its reward model, or has none")
    policy = facts.at(run.folder_of("tokenizer"))[tokenizer]
    compared = set[str]()
    for model in (run.models.get(role) for role in ROLES):
        if model is None or isinstance(model.folder, Unavailable) or model.name in compared:
            continue
        other = facts.at(model.folder).get(tokenizer)
        if other is None:
            continue
        compared.add(model.name)
        if differing := differing_ids(policy, other):
            token, own, its = differing[0]
            yield Finding(
                model.place,
                f"the {model.role} model {model.name} gets the policy's token ids, and its own "
                f"tokenizer has other ids: {token!r} is {own} for the policy and {its} for it",
                evidence=(f"{len(differing)} common tokens have other ids",),
            )
    if not compared:
        raise Unavailable("the reward model's folder has no tokenizer, or is not known")


PPO: dict[str, Json] = {
    "trainer": "ppo",
    "model_name_or_path": "model",
    "reward_model_path": "reward",
    "value_model_name_or_path": "reward",
}
RLOO = {key: value for key, value in PPO.items() if not key.startswith("value")} | {
    "trainer": "rloo"
}
POLICY = under("model", TOKENIZER, CONFIG)
OTHER = under("reward", renumbered(TOKENIZER), CONFIG)
SAYS = (
    "the reward model reward gets the policy's token ids, and its own tokenizer has other ids: "
    "'a' is 0 for the policy and 3 for it"
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad({"run.json": PPO, **POLICY, **OTHER}, versions={"trl": "0.12.2"}, says=SAYS),
        Bad({"run.json": PPO, **POLICY, **OTHER}, versions={"trl": "1.12.0"}, says=SAYS),
        Bad({"run.json": RLOO, **POLICY, **OTHER}, versions={"trl": "0.19.1"}, says=SAYS),
        Good({"run.json": RLOO, **POLICY, **OTHER}, versions={"trl": "0.24.0"}),
        Good(
            {"run.json": PPO, **POLICY, **under("reward", TOKENIZER, CONFIG)},
            versions={"trl": "0.12.2"},
        ),
        Good(
            {"run.json": PPO, **POLICY, **under("reward", tokenizer_files("<new>"), CONFIG)},
            versions={"trl": "0.12.2"},
        ),
    ),
)
