"""What a script does in memory to a model or tokenizer, as a probe repeats it in a copy."""

from __future__ import annotations

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


def in_memory(facts: Facts, role: Role) -> dict[str, Json]:
    """The values of JSON files that stand for what the script changes of a role in memory, by file.

    Those of tokenizer_config.json have the chat template, too. Raises `Unavailable` where a change
    cannot be made in files alone, and for runs with vLLM, whose engine reads the files as they are.
    """
    folder = facts.run.models[role].folder
    if not isinstance(folder, Folder) or not folder.changes:
        return {}
    try:
        if facts.run.flag("use_vllm"):
            raise Unavailable("vLLM reads the files as they are")
        return _values(facts.at(folder), folder)
    except Unavailable as reason:
        command = rehearsal(facts.run.target, facts.environment) or "trl-doctor rehearse"
        raise Unavailable(
            f"the {role} is changed in memory after it is loaded, and this level does not repeat "
            f"that: run `{command}`"
        ) from reason


def _values(here: Facts, folder: Folder) -> dict[str, Json]:
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
    return dict(files)


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
