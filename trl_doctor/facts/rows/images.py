"""Whether the policy sees images, and whether the rows have some."""

from __future__ import annotations

from packaging.version import Version

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import dataset
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.model.files import model_config
from trl_doctor.files.folder import Folder

COLUMNS = ("images", "image")
"""Where trainers of TRL look for images."""

REFUSED = Version("0.22.0"), Version("1.6.0")
"""Releases of trl whose SFT is known to refuse some arguments for every processor."""

TOKENIZER, PROCESSOR = "AutoTokenizer", "AutoProcessor"


def sees(facts: Facts) -> bool:
    """Whether config.json of the policy describes a part for images."""
    policy = facts.run.policy
    if isinstance(policy, Unavailable):
        return False
    config = facts.at(policy).get(model_config)
    return config is not None and isinstance(config.get("vision_config"), dict)


def seeing(facts: Facts) -> Folder:
    """The folder of a policy that sees images. Raises `NotConcerned` and `Unavailable`."""
    policy = facts.run.policy
    if isinstance(policy, Unavailable):
        raise policy
    facts.at(policy)[model_config]
    if not sees(facts):
        raise NotConcerned("the model takes no images")
    return policy


def columns_of_images(facts: Facts) -> list[str]:
    """The columns of the run's rows in which TRL looks for images. Raises `Unavailable`."""
    columns = dataset.columns(facts)
    if not columns:
        raise Unavailable("the columns of the run's rows are not known")
    return [name for name in COLUMNS if name in columns]


def refuses_processor(trl: Version | None) -> bool:
    """Whether SFT of this trl refuses `assistant_only_loss` and more for every processor."""
    return trl is not None and REFUSED[0] <= trl <= REFUSED[1]
