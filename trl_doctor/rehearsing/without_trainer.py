"""What a script that stopped early did not come to: it is not known, and no value is taken for it.

A script may still set the special tokens, resize the model and name its reward functions.
"""

from __future__ import annotations

from msgspec.structs import replace

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.measured.rehearsal import NO_TRAINER
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.run import ROLE_KEYS, Model, Run
from trl_doctor.facts.tokenizer import ROLES
from trl_doctor.files.changes import Change, Open, Resize, SetValue
from trl_doctor.files.document import Document
from trl_doctor.files.folder import Folder
from trl_doctor.rehearsing.events import Events

WITH_TRAINER = (
    *(key for keys in ROLE_KEYS.values() for key in keys),
    *("dataset_format", "datasets", "model_init_kwargs", "reward_funcs", "use_peft"),
)
"""Keys of a rehearsed run that say what its trainer was given."""


def with_unreached(run: Run, events: Events) -> Run:
    """The run, where what only a trainer shows is not known if none was built."""
    if events.of("trainer"):
        return run
    models = {role: _may_change(model) for role, model in run.models.items()}
    assert isinstance(run.file, Document)
    return replace(run, models=models, file=_open(run.file, bool(events.of("config"))))


def _open(file: Document, configured: bool) -> Document:
    """The run file, where keys that it lacks may still come; a config that was made has its own."""
    values, why = file.mapping(), Unavailable(NO_TRAINER)
    if not configured:
        return replace(file, value=Partly(values, rest=why, complete=frozenset({"trainer"})))
    perhaps = {key: why for key in WITH_TRAINER if key not in values}
    return replace(file, value=Partly(values, perhaps=perhaps))


def _may_change(model: Model) -> Model:
    if not isinstance(model.folder, Folder):
        return model
    why, place = Unavailable(NO_TRAINER), model.place
    changes: list[Change] = [
        Open((*ROLES, "added", "chat_template"), why, place),
        Resize(None, why, place),
    ]
    for file in ("config.json", "generation_config.json"):
        for role in ("bos", "eos", "pad"):
            changes.append(SetValue(file, f"{role}_token_id", None, why, place))
    return replace(model, folder=model.folder.changed(tuple(changes)))
