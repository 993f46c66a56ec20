"""The model's folder contains Python code of its own.

Without `trust_remote_code` loading fails, or it asks on the terminal, which a job cannot answer.
With it, that code runs with your rights on every node.

Remedy: read the files that `auto_map` names. Then pin the revision and set `trust_remote_code:
true`, or use a model that transformers supports itself.

Versions: every release. It is an error if the installed transformers has no code for the model
type. If it has, the folder's code is not used without `trust_remote_code`. trl-doctor runs this
code only with --trust-remote-code.

Seen: reproduced: `AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=False)` of
transformers 4.57.6 and 5.23.0: "contains custom code which must be executed to correctly load the
model".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Document
from trl_doctor.facts.folders import folders
from trl_doctor.facts.library import model_types
from trl_doctor.facts.rule import Bad, Good, Rule

FILES = ("config.json", "tokenizer_config.json")


def check(facts: Facts) -> Iterator[Finding]:
    trusted = facts.run.flag("trust_remote_code")
    for folder in folders(facts):
        for name in FILES:
            document = folder.get(name)
            classes = document.get("auto_map") if document else None
            if document and classes:
                required = name == "config.json" and _needed(facts, document)
                if required is False and not trusted:
                    continue
                fatal = required and facts.run.file is not None
                effect = _trust(facts, trusted=trusted)
                yield Finding(
                    Place(document.path, "/auto_map"),
                    f"{name} of {folder.label} requires its own code: {_shown(classes)}; {effect}",
                    severity="note" if trusted else "error" if fatal else None,
                    remedy="read those files, and pin the revision" if trusted else "",
                )


def _trust(facts: Facts, *, trusted: bool) -> str:
    """Whether the run trusts such code; a model folder alone does not show that."""
    if trusted:
        return "trust_remote_code is set"
    if facts.run.file is None:
        return "a run that loads it must set trust_remote_code"
    return "trust_remote_code is not set"


def _needed(facts: Facts, document: Document) -> bool | None:
    """Whether transformers has no code of its own for the type; None if that is not known."""
    kind = document.get("model_type")
    if not isinstance(kind, str):
        return None
    try:
        return not model_types.has_model_type(facts.environment, kind)
    except Unavailable:
        return None


def _shown(classes: Json) -> str:
    values = list(classes.values()) if isinstance(classes, dict) else [classes]
    flat = [
        value_ for value in values for value_ in (value if isinstance(value, list) else [value])
    ]
    return ", ".join(dict.fromkeys(str(reference) for reference in flat if reference))


CODE: dict[str, Json] = {"model_type": "own", "auto_map": {"AutoModel": "modeling_own.OwnModel"}}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad({"m/config.json": CODE}, target="m", says="modeling_own.OwnModel"),
        Bad(
            {
                "run.json": {
                    "trainer": "sft",
                    "model_name_or_path": "m",
                    "trust_remote_code": True,
                },
                "m/config.json": CODE,
            },
            severity="note",
            says="trust_remote_code is set",
        ),
        Bad(
            {"run.json": {"trainer": "sft", "model_name_or_path": "m"}, "m/config.json": CODE},
            versions={"transformers": "4.57.6"},
            severity="error",
            says="trust_remote_code is not set",
        ),
        Bad(
            {"m/config.json": CODE},
            target="m",
            versions={"transformers": "4.57.6"},
            severity="warning",
            says="a run that loads it must set trust_remote_code",
        ),
        Good(
            {"m/config.json": {**CODE, "model_type": "mpt"}},
            target="m",
            versions={"transformers": "4.57.6"},
        ),
        Good({"m/config.json": {"model_type": "llama"}}, target="m"),
    ),
)
