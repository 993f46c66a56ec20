"""What a script does in memory to a model or tokenizer, as a probe repeats it in a copy."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import generation_config, model_config
from trl_doctor.facts.rehearsing import rehearsal
from trl_doctor.facts.run import Role
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.files.changes import SetRole, SetTemplate, SetValue
from trl_doctor.files.folder import Folder

CONFIGS = {"config.json": model_config, "generation_config.json": generation_config}


def in_memory(facts: Facts) -> dict[str, Json]:
    """By role the values of JSON files that stand for what the script changes in memory.

    Raises `Unavailable` where a change cannot be made in files alone, and for runs with vLLM,
    whose engine reads the files as they are.
    """
    changed = dict[str, Json]()
    for role, model in facts.run.models.items():
        if isinstance(model.folder, Folder) and model.folder.changes:
            try:
                changed[role] = dict(_values(facts.at(model.folder), model.folder))
            except Unavailable as reason:
                raise _not_repeated(facts, role) from reason
            if facts.run.flag("use_vllm"):
                raise _not_repeated(facts, role)
    return changed


def _not_repeated(facts: Facts, role: Role) -> Unavailable:
    command = rehearsal(facts.run.target, facts.environment) or "trl-doctor rehearse"
    return Unavailable(
        f"the {role} is changed in memory after it is loaded, and this level does not repeat "
        f"that: run `{command}`"
    )


def _values(here: Facts, folder: Folder) -> Iterator[tuple[str, Json]]:
    """The values by file; of tokenizer_config.json also the chat template."""
    files = dict[str, dict[str, Json]]()
    for change in folder.changes:
        if isinstance(change, SetValue) and _is_of_file(change, folder):
            value = here[CONFIGS[change.file]].get(change.key)
            files.setdefault(change.file, {})[change.key] = value
        elif isinstance(change, SetRole):
            files.setdefault("tokenizer_config.json", {})[change.role] = _token(here, change.role)
        elif isinstance(change, SetTemplate):
            files.setdefault("tokenizer_config.json", {})["chat_template"] = change.text
        else:
            raise Unavailable("the change is more than a value of a file")
    yield from files.items()


def _is_of_file(change: SetValue, folder: Folder) -> bool:
    """Whether the value has the same effect in the file from which the model is loaded."""
    derived = change.key.endswith("_token_id") and not folder.has("generation_config.json")
    return folder.has(change.file) and "." not in change.key and not derived


def _token(here: Facts, role: str) -> str | None:
    """The special token of a role, if the tokenizer has it among its added tokens."""
    special = here[tokenizer].roles.get(role)
    if special is None:
        return None
    of_files = here.at(here.folder.changed(()))[tokenizer]
    if special.content not in {token.content for token in of_files.added.values()}:
        raise Unavailable("the token is no added token of the files")
    return special.content
