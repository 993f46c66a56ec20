"""A model's folder lacks a file that loading needs.

The job dies while it starts: without config.json ("Unrecognized model"), without weights ("no
file named model.safetensors"), without tokenizer files.

Remedy: fetch or copy the whole folder again (`hf download NAME --local-dir FOLDER`), and save the
tokenizer beside the model (`tokenizer.save_pretrained(FOLDER)`).

Versions: every release.

Seen: ran: `AutoModelForCausalLM` and `AutoTokenizer` of transformers 5.23.0 on folders without
config.json, without weights, without tokenizer files, and with links to files that are not there.
"""

from collections.abc import Iterator

from trl_doctor.checkpoint import PICKLES
from trl_doctor.facts import Facts, NotConcerned
from trl_doctor.finding import Finding, Json, Place
from trl_doctor.folder import Folder
from trl_doctor.rule import Bad, Good, Rule
from trl_doctor.tokenizer import FILES

from ._examples import CONFIG, TOKENIZER, under, weights
from ._files import folders, models_of

WEIGHTS = (".safetensors", ".safetensors.index.json", ".bin.index.json", *PICKLES)


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.target.kind == "model":
        raise NotConcerned("the target is a model folder, which may be a part of one")
    yield from _tokenizer(facts)
    for folder in folders(facts):
        for name in folder.names():
            if folder.file(name).is_symlink() and not folder.file(name).exists():
                place = Place(folder.file(name))
                yield Finding(place, f"{name} is a link to a file that is not there")
    for model in models_of(facts):
        yield from _model(model.folder)


def _tokenizer(facts: Facts) -> Iterator[Finding]:
    folder = facts.at(facts.run.folder_of("tokenizer")).folder
    if not any(folder.has(name) for name in FILES):
        yield Finding(Place(folder.path), f"{folder.label} has no tokenizer files")


def _model(folder: Folder) -> Iterator[Finding]:
    from trl_doctor.hub.store import read_listing

    if folder.has("adapter_config.json"):
        return
    if not folder.has("config.json"):
        yield Finding(Place(folder.path), f"{folder.label} has no config.json")
    elsewhere = folder.partial or read_listing(folder.path)
    if not elsewhere and not any(name.endswith(WEIGHTS) for name in folder.names()):
        yield Finding(Place(folder.path), f"{folder.label} has no weights (model.safetensors)")


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "model"}
WHOLE = {
    **under("model", TOKENIZER, CONFIG),
    "model/model.safetensors": weights(model__embed_tokens__weight=(8, 2)),
}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad({"run.json": RUN, **under("model", TOKENIZER, CONFIG)}, says="model has no weights"),
        Bad(
            {"run.json": RUN, **{k: v for k, v in WHOLE.items() if k != "model/config.json"}},
            says="model has no config.json",
        ),
        Bad(
            {"run.json": RUN, **{k: v for k, v in WHOLE.items() if "token" not in k}},
            says="model has no tokenizer files",
        ),
        Good({"run.json": RUN, **WHOLE}),
    ),
)
