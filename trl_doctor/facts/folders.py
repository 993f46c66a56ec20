"""The folders of a run, and the JSON files that a model folder contains."""

from collections.abc import Iterator

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.files.folder import Folder

JSON_FILES = frozenset(
    {
        "adapter_config.json",
        "added_tokens.json",
        "config.json",
        "generation_config.json",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "vocab.json",
    }
)


def folders(facts: Facts) -> Iterator[Folder]:
    """The existing folders of all models that the run names, each once.

    Raises `Unavailable` after them if the policy's folder does not exist.
    """
    yielded = set()
    for model in facts.run.models.values():
        for folder in (model.named, model.folder):
            if not isinstance(folder, Unavailable) and folder.path not in yielded:
                yielded.add(folder.path)
                yield folder
    _refuse_unexamined(facts)


def models_of(facts: Facts) -> Iterator[Facts]:
    """The facts of each model folder.

    A folder that only provides the tokenizer is not included. Raises like `folders`.
    """
    yielded = set()
    for role, model in facts.run.models.items():
        folder = model.folder
        if (
            role != "tokenizer"
            and not isinstance(folder, Unavailable)
            and folder.path not in yielded
        ):
            yielded.add(folder.path)
            yield facts.at(folder)
    _refuse_unexamined(facts)


def _refuse_unexamined(facts: Facts) -> None:
    """Raises `Unavailable` if the run's policy is not available."""
    if isinstance(facts.run.policy, Unavailable):
        raise facts.run.policy
