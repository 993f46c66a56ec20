"""RewardTrainer of this release gives the model two scores.

A reward is one number. These releases load a model by its name without `num_labels=1`, and
transformers then gives it two labels. The trainer compares both scores of a pair, the first with
the first and the second with the second, without a warning. The saved model is no reward model:
GRPO and RLOO cannot load it.

Remedy: install trl 0.29 or newer; or set `model_init_kwargs: {num_labels: 1}`.

Versions: trl 0.26.0 to 0.28.0, `trl reward` and RewardTrainer with the model's name. A model whose
config.json has one label is loaded with one.

Seen: trl#5066. Reproduced with trl 0.26.0, 0.26.2, 0.27.0, 0.27.2 and 0.28.0: the trained model has
two scores; with 0.25.1 and 0.29.0, or with `num_labels`, one. GRPO of 0.28.0 on the saved model:
"size mismatch for score.weight".
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.model.heads import label_count
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import passed, plain_text

from ..._recorded.scripts import script

FIRST, FIXED = Version("0.26.0"), Version("0.29.0")
KEY, LABELS = "model_init_kwargs", "num_labels"


def check(facts: Facts) -> Iterator[Finding]:
    trl = trl_of(facts)
    if known_trainer(facts) != "reward":
        raise NotConcerned("only RewardTrainer is affected")
    if trl is None:
        raise Unavailable("the version of trl is not known")
    if not FIRST <= trl < FIXED:
        raise NotConcerned(f"only trl {FIRST} to 0.28.0 load the model in this way")
    no_other_program(facts)
    if facts.run.script.passed is not None:
        plain_text(passed(facts).values.get("model"))
    scores, options = label_count(facts.at(facts.run.policy)[model_config], None), _given(facts)
    if LABELS in options:
        stated_labels = options[LABELS]
        scores = stated_labels if isinstance(stated_labels, int) else 1
    if scores != 1:
        message = f"trl {trl} loads the model with {scores} scores, but a reward is one number"
        yield Finding(facts.run.place(), message, fix=_fix(facts, options))


def _given(facts: Facts) -> dict[str, Json]:
    options = facts.run.arguments.get(KEY)
    if options is not None and not isinstance(options, dict):
        raise Unavailable(f"{KEY} is no mapping")
    return options or {}


def _fix(facts: Facts, options: dict[str, Json]) -> Fix | None:
    if facts.run.script.passed is not None:
        return None
    edit = Put(facts.run.target.path, pointer(KEY), {**options, LABELS: 1})
    return Fix(f"set {LABELS} in {KEY} to 1", (edit,), safe=False)


RUN: dict[str, Json] = {"trainer": "reward", "model_name_or_path": "m"}
CAUSAL: dict[str, Json] = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}
ONE: dict[str, Json] = {**CAUSAL, "id2label": {"0": "LABEL_0"}}
OLD = {"trl": "0.28.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN, "m/config.json": CAUSAL},
            versions=OLD,
            says="trl 0.28.0 loads the model with 2 scores, but a reward is one number",
            fixed={"run.json": {**RUN, KEY: {LABELS: 1}}, "m/config.json": CAUSAL},
        ),
        Bad(
            script("Reward", "model='m'") | {"m/config.json": CAUSAL},
            "train.py",
            versions={"trl": "0.26.0"},
            says="trl 0.26.0 loads the model with 2 scores",
        ),
        Good({"run.json": RUN, "m/config.json": ONE}, versions=OLD),
        Good({"run.json": RUN, "m/config.json": CAUSAL}, versions={"trl": "0.29.0"}),
        Good({"run.json": {**RUN, KEY: {LABELS: 1}}, "m/config.json": CAUSAL}, versions=OLD),
        Good({"run.json": {**RUN, "trainer": "sft"}, "m/config.json": CAUSAL}, versions=OLD),
    ),
)
