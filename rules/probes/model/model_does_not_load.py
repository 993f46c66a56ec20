"""The installed transformers cannot build this model.

AutoConfig or the model's class raises before a weight is read: every node of the job fails there.

Remedy: upgrade transformers to a release that supports the model, or install the package that the
error names.

Versions: the installed release builds the model from its own config.json; no weights are read.

Seen: transformers 5.23.0 with an unknown model_type: "but Transformers does not recognize this
architecture"; `trl sft` of trl 1.16.0 fails in the same way with `hidden_act: siluu` (KeyError), an
unknown kind of rope_scaling, a hidden size that the heads do not divide.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.checkpoints import ROLES
from trl_doctor.facts.measured.load import error_line, load
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.load import LoadError

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.load import CHECKPOINT, answers

UNKNOWN = ("does not recognize this architecture", "Unrecognized model")
"""The messages of transformers for a config that needs a newer release."""

PACKAGE = "`pip install "
"""What transformers says where a package is missing that the weights need."""

IMPORTS = ("ImportError", "ModuleNotFoundError", "PackageNotFoundError")
MACHINE = ("CUDA", "cuda", "GPU", "triton", "quant", "bitsandbytes")
"""The classes and words of errors that may come from this machine and not from the model."""

CAUSES = (
    "file-is-lfs-pointer",
    "file-unreadable",
    "file-has-wrong-types",
    "model-files-missing",
    "model-brings-code",
    "checkpoint-shard-missing",
    "checkpoint-damaged",
    "checkpoint-is-pickled",
    "config-refused-by-transformers",
    "tokenizer-pad-broken",
)
"""The rules that find the cause in the files."""


def check(facts: Facts) -> Iterator[Finding]:
    models = facts[load].measured().models
    for role in ROLES:
        model = facts.run.models.get(role)
        raised = models[role].raised if role in models else None
        if model is None or isinstance(model.folder, Unavailable) or raised is None:
            continue
        error = error_line(raised)
        of_machine = raised.type.endswith(IMPORTS) or any(text in error for text in MACHINE)
        sure = any(text in error for text in (*UNKNOWN, PACKAGE)) or not of_machine
        yield Finding(
            Place(model.folder.file("config.json")),
            f"transformers {facts.environment.version('transformers')} does not load the {role} "
            f"model {model.folder.label}: {error}",
            severity=None if sure else "warning",
            follows=CAUSES,
        )


TRAINED = candidate(RUN, TOKENIZER, CONFIG)
FIVE = {"transformers": "5.23.0"}
SAID = "The checkpoint has model type `own` but Transformers does not recognize this architecture."
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            TRAINED,
            versions=FIVE,
            answers=answers(models={"policy": LoadError("ValueError", SAID)}),
            says="transformers 5.23.0 does not load the policy model model: ValueError: The",
        ),
        Bad(
            TRAINED,
            versions=FIVE,
            answers=answers(models={"policy": LoadError("KeyError", "'siluu'")}),
            says="does not load the policy model model: KeyError: 'siluu'",
            severity="error",
        ),
        Bad(
            TRAINED,
            versions=FIVE,
            answers=answers(models={"policy": LoadError("ImportError", "optimum")}),
            severity="warning",
        ),
        Good(TRAINED, versions=FIVE, answers=answers(models={"policy": CHECKPOINT})),
    ),
)
