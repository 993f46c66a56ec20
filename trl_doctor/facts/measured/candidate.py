"""The request that every probe gets about the run: folders, arguments, rows, conditions."""

from __future__ import annotations

from trl_doctor.core.finding import Json
from trl_doctor.core.question import Question, T
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.chat_template import chat
from trl_doctor.facts.column_changes import changes
from trl_doctor.facts.library.imports import home, imported, imports
from trl_doctor.facts.measured.given import known_arguments
from trl_doctor.facts.measured.in_memory import in_memory
from trl_doctor.facts.model.classes import TRAINED, named_to_trainer
from trl_doctor.facts.rows.own import are_all, file_name, made, own_rows
from trl_doctor.facts.run import ROLE_KEYS, Role
from trl_doctor.facts.script.passed import adapter_config, is_tokenizer, loading_class
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.files.folder import Folder


def ready(facts: Facts) -> bool:
    """True; raises `Unavailable` if a probe cannot be asked about the run.

    A check of the files alone ends here: the classes of the answers, which take as long to create
    as some rules to import, are imported behind it.
    """
    if program := facts.run.program:
        raise Unavailable(f"{program} trains, not a command of TRL: no step of it is taken")
    return facts[imported]


def question(facts: Facts, probe: str, label: str, answers: type[T], **more: Json) -> Question[T]:
    """A question to a probe about this run; `more` are further keys of its request.

    The request has: `trainer` and its class names, `folders` by role, the values of their files
    that stand for what a script changes `in_memory`, `arguments` of the run file, `by_class`
    (whether a script gives them to the classes itself), the times when the models' small files were
    `written`, `data` (local files, or the first rows that a script has `made`, and whether they are
    conversations), `ends` (the ids of the turn end and of the eos), `roots` of relative paths,
    `class_named` (whether this release creates the class that config.json names), `task_open`
    (whether a script's adapter names no task), `device`, `level`, `trust_remote_code`.
    Raises `Unavailable`, also where the libraries do not import.
    """
    facts[ready]
    return Question(probe, label, {**_request(facts), **more}, answers, imports(facts))


def without_models(
    facts: Facts, probe: str, label: str, answers: type[T], **more: Json
) -> Question[T]:
    """A question about the trainer and the arguments alone; the models need not be local.

    `more` are further keys of its request.
    """
    facts[ready]
    return Question(probe, label, {**_arguments(facts), **more}, answers, imports(facts))


def without_weights(
    facts: Facts, probe: str, label: str, answers: type[T], **more: Json
) -> Question[T]:
    """A question about trainer, arguments and rows, with the tokenizer if it is local.

    `more` are further keys of its request.
    """
    facts[ready]
    roles: tuple[Role, ...] = ("policy", "tokenizer")
    folders: dict[str, Json] = {
        **dict.fromkeys(ROLE_KEYS),
        **{role: _local_folder(facts, role) for role in roles},
    }
    request = {**_request(facts, folders), **more}
    return Question(probe, label, request, answers, imports(facts))


def _classes(facts: Facts) -> Json:
    """The classes with which a script loads its model and its tokenizer; None if none does."""
    passed = facts.run.script.passed
    if passed is None:
        return None
    processing = passed.values.get("processing_class")
    text = "AutoTokenizer" if is_tokenizer(processing) else ""
    return {
        "model": loading_class(passed.values.get("model")),
        "processing": loading_class(processing) or text,
    }


def _class_named(facts: Facts) -> bool:
    """Whether TRL creates the class that the policy's `architectures` names first."""
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable) or trainer.name not in TRAINED:
        return False
    try:
        return named_to_trainer(facts, trainer)
    except Unavailable:
        return False


def _task_open(facts: Facts) -> bool:
    """Whether a script's adapter has a config that names no task, which TRL's own always does."""
    values = facts.run.script.passed
    config = adapter_config(values, "LoraConfig") if values else None
    return config is not None and config.rest is None and config.argument("task_type") is None


def _local_folder(facts: Facts, role: Role) -> str | None:
    """The folder of a role; None if it is not local, or the run names none."""
    try:
        return _folder(facts, role)
    except Unavailable:
        return None


def _arguments(facts: Facts) -> dict[str, Json]:
    trainer = facts.run.trainer
    arguments: dict[str, Json] = {}
    if not isinstance(trainer, Unavailable):
        arguments = {
            "name": trainer.name,
            "class": trainer.trainer,
            "config": trainer.config,
            "module": home(facts, trainer),
        }
    return {
        "trainer": arguments or None,
        "arguments": known_arguments(facts),
        "by_class": facts.run.by_class,
        "device": facts.probes.conditions.device,
    }


def _request(facts: Facts, folders: dict[str, Json] | None = None) -> dict[str, Json]:
    conditions = facts.probes.conditions
    folders = folders or {**dict.fromkeys(ROLE_KEYS), **_folders(facts)}
    changed: dict[str, Json] = {
        role: files for role in ROLE_KEYS if folders[role] and (files := in_memory(facts, role))
    }
    return {
        **_arguments(facts),
        "folders": folders,
        "in_memory": changed,
        "written": _write_times(facts),
        "data": _data(facts),
        "ends": _ends(facts),
        "roots": [str(root) for root in facts.run.roots],
        "script": _classes(facts),
        "class_named": _class_named(facts),
        "task_open": _task_open(facts),
        "level": conditions.level,
        "trust_remote_code": conditions.trust_remote_code,
        "seconds": conditions.seconds,
    }


def _folders(facts: Facts) -> dict[str, Json]:
    """The folders by role; no probe reads a teacher's, so it may be missing."""
    return {role: _folder(facts, role) for role in ROLE_KEYS if role != "teacher"}


def _folder(facts: Facts, role: Role) -> str | None:
    """The folder that the run names for a role; None if it names none, or has null.

    A rehearsal needs no models that are not local: it already replaced them.
    """
    model = facts.run.models.get(role)
    if model is None or not model.name:
        return None
    rehearsed = facts.probes.conditions.level == "rehearsal"
    if rehearsed and (isinstance(model.folder, Unavailable) or model.folder.changes):
        return None
    if isinstance(model.folder, Unavailable):
        raise model.folder
    in_memory(facts, role)  # raises where a probe cannot repeat the changes
    return str(model.folder.path.absolute())


def _write_times(facts: Facts) -> dict[str, Json]:
    """When the small files were written, so that the question is asked again after a repair."""
    folders = {
        model.folder for model in facts.run.models.values() if isinstance(model.folder, Folder)
    }
    return {
        str(folder.file(name)): folder.file(name).stat().st_mtime_ns
        for folder in folders
        for name in folder.names()
        if name.endswith((".json", ".jinja")) and folder.has(name)
    }


def _data(facts: Facts) -> dict[str, Json]:
    steps = changes(facts)
    columns: list[Json] = [{"how": step.how, "names": dict(step.names)} for step in steps]
    followed = facts.get(made)
    if (followed is not None or steps) and (made_rows := facts.get(own_rows)):
        first = made_rows[0]
        return {
            "files": [],
            "columns": columns if followed is None else [],
            "made": {
                "name": file_name(facts),
                "rows": list[Json](made_rows),
                "whole": facts.get(are_all) is True,
            },
            "conversational": dataset.of_row(first, "", facts.run.place()).conversational,
        }
    kind, files = facts.get(dataset.kind), facts.get(dataset.all_files) or ()
    return {
        "made": None,
        "files": [] if steps else [str(path) for path in files],
        "columns": columns,
        "conversational": kind.conversational if kind else None,
    }


def _ends(facts: Facts) -> dict[str, Json]:
    """The ids of the token that ends a turn in the chat template, and of the tokenizer's eos."""
    tokenizer_facts = facts.at(facts.run.folder_of("tokenizer"))
    chat_format, loaded = tokenizer_facts.get(chat), tokenizer_facts.get(tokenizer)
    return {
        "turn_end": chat_format.turn_end.id if chat_format else None,
        "eos": loaded.eos.id if loaded and loaded.eos else None,
    }
