"""Whether a pod of Kubernetes has what its run logs in to Weights & Biases with."""

from __future__ import annotations

import re

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text
from trl_doctor.files.document import Document
from trl_doctor.files.launch.forms import KUBERNETES_FILE
from trl_doctor.files.regular import text_of

GIVES = re.compile(
    r"WANDB_|wandb[\s-]+(?:api|key|secret|token|login)|netrc|envFrom|\{\{|vault|secretName|\bsecret:|serviceAccount|mutat",
    re.I,
)
"""What may give a pod a key that its own variables do not name."""

KEYED = re.compile(r"secretKeyRef")
LOGS_IN = re.compile(r"wandb|dotenv|os\.environ\.update", re.IGNORECASE)


class NoKey(Struct, frozen=True):
    """The value of `report_to` that needs a key."""

    report_to: str


def without_key(facts: Facts) -> NoKey | None:
    """Raises `NotConcerned` where no pod starts a run that reports to Weights & Biases."""
    target = facts.run.target
    if target.launched_by is None or KUBERNETES_FILE not in target.taken_for:
        raise NotConcerned("no pod starts this run")
    given = facts.run.arguments.get("report_to")
    names = given if isinstance(given, list) else [given]
    if "wandb" not in names:
        raise NotConcerned("the run does not report to Weights & Biases")
    text = own_text(target) or ""
    if GIVES.search(text) or not KEYED.search(text):
        return None
    file = facts.run.file
    source = file.data.decode(errors="replace") if isinstance(file, Document) else ""
    if LOGS_IN.search(source.replace('"wandb"', "").replace("'wandb'", "")):
        return None
    for path in sorted(target.launched_by.parent.glob("*ockerfile*"))[:5]:
        try:
            if re.search(r"WANDB_|netrc", text_of(path, "replace")):
                return None
        except OSError:
            return None
    return NoKey("wandb")
