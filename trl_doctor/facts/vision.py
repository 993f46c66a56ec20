"""Whether the policy also sees images: a small step of such a model is not taken for its own."""

from __future__ import annotations

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.model_files import model_config

NOT_YET = (
    "the model also takes images, and the small step gives it none: "
    "only what TRL's own command says of it is told"
)
"""Why an error of the small step is not told."""


def sees(facts: Facts) -> bool:
    """Whether config.json of the policy describes a part for images."""
    policy = facts.run.policy
    if isinstance(policy, Unavailable):
        return False
    config = facts.at(policy).get(model_config)
    return config is not None and isinstance(config.get("vision_config"), dict)
