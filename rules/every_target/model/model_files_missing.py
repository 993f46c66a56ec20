"""A model's folder lacks a file that loading needs.

The job fails when it starts: without config.json ("Unrecognized model"), without weights ("no file
named model.safetensors"), without tokenizer files. Without a vocabulary file transformers 5 may
create a vocabulary of a few tokens without a warning: then every text is empty, and the run trains
on that.

Remedy: download or copy the whole folder again (`hf download NAME --local-dir FOLDER`), and save
the tokenizer into the model's folder (`tokenizer.save_pretrained(FOLDER)`).

Versions: every release.

Seen: reproduced: `AutoModelForCausalLM` and `AutoTokenizer` of transformers 5.23.0 on folders
without config.json, without weights, without tokenizer files, and with links to files that do not
exist; `trl reward` of trl 1.16.0 with weights under another name (weights.safetensors). Reproduced
with folders with tokenizer_config.json and no tokenizer.json, with 4.57.6 and 5.23.0: "Couldn't
instantiate the backend tokenizer", "`vocab` and `merges` must be both be from memory"; in 5.23.0 a
Qwen2Tokenizer of 4 tokens that encodes all texts as nothing. An adapter's folder with
adapter_config.json alone: "No such file or directory: adapter_model.safetensors".
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Folder
from trl_doctor.facts.folders import folders, models_of
from trl_doctor.facts.model.checkpoint import PICKLES
from trl_doctor.facts.model.hub_copies import may_be_incomplete
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.tokenizer import FILES, Unloadable, tokenizer

from ..._recorded.candidate import CONFIG, TOKENIZER, tokenizer_files, under, weights

ALL = (*FILES, "merges.txt", "added_tokens.json")
WEIGHTS = (".safetensors", ".safetensors.index.json", ".bin.index.json", *PICKLES)

LOADED = tuple(
    f"{name}{index}"
    for name in ("model.safetensors", "pytorch_model.bin", "flax_model.msgpack", "tf_model.h5")
    for index in ("", ".index.json")
)
"""The files in which `from_pretrained` looks for weights, if nothing else is asked of it."""
OF_ADAPTERS = ("adapter_model.safetensors", "adapter_model.bin")
SHARD = re.compile(r"-\d{5}-of-\d{5}\.")
"""Parts of weights, which need an index: another rule reports them."""


def check(facts: Facts) -> Iterator[Finding]:
    yield from _vocabulary(facts)
    if facts.run.target.kind == "model":
        yield from _to_train(facts)
        return
    yield from _tokenizer(facts)
    for folder in folders(facts):
        for name in folder.names():
            if folder.file(name).is_symlink() and not folder.file(name).exists():
                place = Place(folder.file(name))
                yield Finding(place, f"{name} is a link to a file that does not exist")
        yield from _adapter(folder)
    plain = facts.run.script.passed is None and not facts.run.arguments.get("model_init_kwargs")
    for model in models_of(facts):
        yield from _model(model.folder, plain)


def _to_train(facts: Facts) -> Iterator[Finding]:
    """What a target lacks that is a folder: it may be a tokenizer's unless the user trains it."""
    model = facts.run.models.get("policy")
    if isinstance(facts.run.trainer, Unavailable):
        raise NotConcerned("the target is a model folder, which may be incomplete on purpose")
    if model is None or isinstance(model.folder, Unavailable):
        raise NotConcerned("the target names no model")
    if model.folder.has("config.json"):
        yield from _model(model.folder, plain=False)


def _vocabulary(facts: Facts) -> Iterator[Finding]:
    """The tokenizer's settings exist, but its tokens are missing."""
    view = tokenizer_facts(facts)
    loaded, folder = view.get(tokenizer), view.folder
    if (
        loaded is None
        or not isinstance(loaded.vocabulary_or_reason, Unloadable)
        or folder.has("tokenizer.json")
    ):
        return
    if may_be_incomplete(folder):
        return
    sure = facts.run.target.kind != "model" and facts.environment.version("transformers")
    yield Finding(
        Place(folder.path),
        f"the tokenizer of {folder.label} is incomplete: {loaded.vocabulary_or_reason}",
        (f"tokenizer files that exist: {', '.join(filter(folder.has, ALL))}",),
        severity=None if sure else "warning",
        remedy=f"download it again (hf download NAME --local-dir {folder.label}), or copy the file "
        "from where this tokenizer was saved",
    )


def _tokenizer(facts: Facts) -> Iterator[Finding]:
    folder = tokenizer_facts(facts).folder
    if not any(folder.has(name) for name in FILES):
        yield Finding(Place(folder.path), f"{folder.label} has no tokenizer files")


def _adapter(folder: Folder) -> Iterator[Finding]:
    adapts = folder.has("adapter_config.json") and not may_be_incomplete(folder)
    if adapts and not any(map(folder.has, OF_ADAPTERS)):
        message = f"{folder.label} is an adapter without weights ({OF_ADAPTERS[0]})"
        yield Finding(Place(folder.path), message)


def _model(folder: Folder, plain: bool) -> Iterator[Finding]:
    if folder.has("adapter_config.json"):
        return
    if not folder.has("config.json"):
        yield Finding(Place(folder.path), f"{folder.label} has no config.json")
    stored = [name for name in folder.names() if name.endswith(WEIGHTS)]
    if may_be_incomplete(folder) or any(name in LOADED for name in stored):
        return
    if not stored:
        yield Finding(Place(folder.path), f"{folder.label} has no weights (model.safetensors)")
    elif plain and not _named_by_config(folder) and not any(SHARD.search(name) for name in stored):
        yield Finding(
            Place(folder.path),
            f"{folder.label} has no weights that transformers looks for (model.safetensors): it "
            f"has {', '.join(sorted(stored)[:3])}",
            remedy="rename the file to model.safetensors, if it is this model's",
        )


def _named_by_config(folder: Folder) -> bool:
    config = folder.get("config.json")
    return config is not None and config.get("transformers_weights") is not None


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "model"}
WHOLE = {
    **under("model", TOKENIZER, CONFIG),
    "model/model.safetensors": weights(model__embed_tokens__weight=(8, 2)),
}
QWEN = {k: v for k, v in tokenizer_files(tokenizer_class="Qwen2Tokenizer").items() if "_" in k}
HALF = {"run.json": RUN, **{k: v for k, v in WHOLE.items() if "token" not in k}}
BASE = {name.replace("model/", "base/", 1): file for name, file in WHOLE.items()}
ADAPTER: dict[str, Json] = {"peft_type": "LORA", "base_model_name_or_path": "base"}
FIVE = {"transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="[Tt]okenizer|processing class",
    examples=(
        Bad({"run.json": RUN, **under("model", TOKENIZER, CONFIG)}, says="model has no weights"),
        Bad(
            {
                "run.json": RUN,
                **under("model", TOKENIZER, CONFIG),
                "model/weights.safetensors": WHOLE["model/model.safetensors"],
            },
            says="model has no weights that transformers looks for (model.safetensors): it has "
            "weights.safetensors",
        ),
        Bad(
            {"run.json": RUN, "model/adapter_config.json": ADAPTER, **BASE},
            says="model is an adapter without weights (adapter_model.safetensors)",
        ),
        Bad(
            {"run.json": RUN, **{k: v for k, v in WHOLE.items() if k != "model/config.json"}},
            says="model has no config.json",
        ),
        Bad(
            {"run.json": RUN, **{k: v for k, v in WHOLE.items() if "token" not in k}},
            says="model has no tokenizer files",
        ),
        Bad(
            {**HALF, **under("model", QWEN)},
            versions=FIVE,
            says="the tokenizer of model is incomplete: there is no vocabulary file, and Qwen2",
        ),
        Bad(
            {**HALF, **under("model", QWEN), "model/vocab.json": {"a": 0}},
            versions=FIVE,
            says="incomplete: there is neither tokenizer.json nor merges.txt, which Qwen2Tokenizer",
        ),
        Bad(
            under("model", QWEN, CONFIG),
            target="model",
            versions=FIVE,
            says="model is incomplete: there is no vocabulary file, and Qwen2Tokenizer makes one",
            severity="warning",
        ),
        Good({"run.json": RUN, **WHOLE}),
    ),
)
