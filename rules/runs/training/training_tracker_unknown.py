"""`report_to` names no tracker that transformers knows.

The trainer looks each name up when it is created, after the model was loaded, and stops at one that
it does not know. `None` switched nothing off in earlier releases either (it meant all that are
installed); from transformers 5.0.0 on it is an unknown name.

Remedy: write `report_to="none"` for no tracker, one name as a text (`"wandb"`), or several in a
list: `["wandb", "tensorboard"]`.

Versions: every release; None and null from transformers 5.0.0 on.

Seen: reproduced with SFT of trl 1.16.0, in a script and with `trl sft --config`: "None is not
supported, only azure_ml, comet_ml, …". With transformers 4.46.3, 4.57.6 and 5.23.0: "None" as a
text, False, an empty text, "wandb,tensorboard" as one text, and "none" in a list beside another
name; None with 5.23.0 alone. The report of a rehearsal shows it, too: it trains without trackers.
"""

import difflib
from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.scripts import script

KEY = "report_to"
TRACKERS = (
    "azure_ml", "clearml", "codecarbon", "comet_ml", "dagshub", "dvclive", "flyte", "kubeflow",
    "mlflow", "neptune", "swanlab", "tensorboard", "trackio", "wandb",
)  # fmt: skip
"""What transformers knows, in any release up to 5.23.0."""

WHOLE = ("none", "all")
"""Words that mean no tracker and all: as a text, or alone in a list."""

NONE_IS_A_NAME = Version("5.0.0")


def check(facts: Facts) -> Iterator[Finding]:
    arguments = facts.run.arguments
    if KEY not in arguments:
        raise NotConcerned(f"the run leaves {KEY} as it is")
    value = arguments.get(KEY)
    if value is None and _takes_none(facts):
        return
    names = value if isinstance(value, list) else [value]
    if len(names) == 1 and names[0] in WHOLE:
        return
    for name in names:
        if name not in TRACKERS:
            yield Finding(
                facts.run.place(KEY),
                f"{_shown(name, value)}: transformers knows no tracker of that name, and the "
                "trainer stops when it is created",
                remedy=_remedy(name),
            )
            return


def _takes_none(facts: Facts) -> bool:
    """Whether this transformers reads None as all trackers."""
    version = facts.environment.version("transformers")
    if version is None:
        raise Unavailable("the version of transformers is not known: use --with or --python")
    return version < NONE_IS_A_NAME


def _shown(name: Json, value: Json) -> str:
    if isinstance(value, list):
        return f"{KEY} has {name!r}"
    return f"{KEY} is {name!r}"


def _remedy(name: Json) -> str:
    """What to write instead; "" for what the rule's page says."""
    parts = [part.strip() for part in name.split(",")] if isinstance(name, str) else []
    if len(parts) > 1 and all(part in TRACKERS for part in parts):
        return f"write a list: {KEY}={parts}"
    if not name or str(name).lower() in ("none", "null", "no", "false", "off"):
        return f'write {KEY}="none", which switches all trackers off'
    near = difflib.get_close_matches(str(name), TRACKERS, 1)
    return f'write {KEY}="{near[0]}"' if near else ""


NEW, OLD = {"transformers": "5.23.0"}, {"transformers": "4.57.6"}
RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m"}


def _run(value: Json) -> dict[str, dict[str, Json]]:
    return {"run.json": {**RUN, KEY: value}}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="is not supported, only azure_ml",
    examples=(
        Bad(
            script("SFT", "model='m'", f"{KEY}=None"),
            "train.py",
            versions=NEW,
            says="report_to is None: transformers knows no tracker of that name",
        ),
        Bad(_run(None), versions=NEW, says="report_to is None"),
        Bad(_run("wandb,tensorboard"), versions=OLD, says="report_to is 'wandb,tensorboard'"),
        Bad(_run(["none", "wandb"]), versions=OLD, says="report_to has 'none'"),
        Bad(_run("tensorbord"), versions=NEW, says="report_to is 'tensorbord'"),
        Bad(_run(False), versions=NEW, says="report_to is False"),
        Good(_run(None), versions=OLD),
        Good(_run(["none"]), versions=NEW),
        Good(_run([]), versions=NEW),
        Good(_run("all"), versions=NEW),
        Good(_run(["wandb", "trackio"]), versions=NEW),
        Good(_run(None), skipped="the version of transformers is not known"),
    ),
)
