"""A model folder that the run names does not exist.

TRL treats a name that is not a folder as a Hub id. The job fails when it starts, with an error
about a repository that you never named.

A folder that the script itself writes, as a first stage does, or downloads, is not reported. Nor is
one that a line above the job's may make, or a full path that may be of another machine (this one
lacks its first folder, `/scratch`) or inside a container: the report is then incomplete.

Remedy: correct the path. A relative path starts at the folder in which the job is started.

Versions: every release.

Seen: reproduced: `from_pretrained("./modells/qwen")` of transformers 5.23.0 without network: "is
not a local folder and is not a valid model identifier".
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from trl_doctor.core.finding import Finding, Place, pointer
from trl_doctor.core.plain import listed
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import Closed, NotConcerned, Unavailable, Undecided, several
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.named_files import uncertain
from trl_doctor.facts.model.bases import ADAPTER
from trl_doctor.facts.model.hub_copies import looks_like_hub_id
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import Model

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.target.kind == "model":
        raise NotConcerned("the target is a model folder")
    open_questions = []
    absent: dict[str, list[Model]] = {}
    for model in facts.run.models.values():
        if not isinstance(model.folder, Unavailable) or str(model.folder).endswith("is null"):
            continue
        if isinstance(model.folder, Undecided | Closed):
            open_questions.append(str(model.folder))
        elif model.adapter:
            name = model.adapter.document(ADAPTER).get("base_model_name_or_path")
            if isinstance(name, str) and not looks_like_hub_id(name):
                place = Place(model.adapter.file(ADAPTER), pointer("base_model_name_or_path"))
                yield Finding(place, str(model.folder))
            else:
                open_questions.append(str(model.folder))
        elif not model.name:
            yield Finding(model.place, str(model.folder))
        elif not uncertain(facts, model.name) and (near := _near(facts, model.name)):
            message = f"there is no folder {model.name}, so the Hub is searched for it"
            yield Finding(model.place, message, remedy=f"write {near}, if you mean that folder")
        elif looks_like_hub_id(model.name) and not _beside(facts, model.name):
            open_questions.append(f"{model.name}: {model.folder}")
        elif why := uncertain(facts, model.name):
            open_questions.append(why)
        else:
            absent.setdefault(model.name, []).append(model)
    for name, models in absent.items():
        roles = listed([model.role for model in models])
        message = f"there is no folder {name}, which the run names as {roles} model"
        yield Finding(models[0].place, message, follows=("adapter-folder-missing",))
    if open_questions:
        raise several(open_questions)


def _beside(facts: Facts, name: str) -> bool:
    """Whether the first part of `org/name` is a folder of models here: it is probably a path."""
    first, slash, _ = name.partition("/")
    return bool(slash) and any(
        next((root / first).glob(f"*/{file}"), None) for root in facts.run.roots for file in CONFIGS
    )


def _near(facts: Facts, name: str) -> str:
    """A folder of a model here that is called almost like a name which no model on the Hub has."""
    if "/" in name or not looks_like_hub_id(name) or OF_NO_OWNER.match(name):
        return ""
    folders = [file.parent.name for root in facts.run.roots for file in _configs(root)]
    return next(iter(similar(name, folders, 1, 0.75)), "")


def _configs(root: Path) -> list[Path]:
    """The files that make a folder beside the run one of a model."""
    with suppress(OSError):
        return [path for file in CONFIGS for path in root.glob(f"*/{file}")]
    return []


CONFIGS = ("config.json", ADAPTER)
OF_NO_OWNER = re.compile(
    r"(distil)?(gpt2|bert|roberta)|openai-gpt|xlm-roberta|camembert|albert|t5-|xlnet|xlm-|ctrl"
    r"|transfo-xl"
)
"""Names of models that the Hub knows without an owner. The others are all `owner/name`."""

STAGE = (
    "from transformers import AutoModelForCausalLM\n"
    "AutoModelForCausalLM.from_pretrained('org/m').save_pretrained('out/first')\n"
)
FETCHED = (
    "from huggingface_hub import snapshot_download\nsnapshot_download('org/m', local_dir='here')\n"
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": {"trainer": "sft", "model_name_or_path": "./modells/qwen"}},
            says="there is no folder ./modells/qwen",
        ),
        Bad(
            {"run.json": {"trainer": "dpo", "model_name_or_path": "./m", "ref_model_path": "./m"}},
            says="there is no folder ./m, which the run names as policy",
        ),
        Bad(
            {
                "run.json": {"trainer": "sft", "model_name_or_path": "models/helthy"},
                "models/healthy/config.json": {"model_type": "llama"},
            },
            says="there is no folder models/helthy",
        ),
        Bad(
            {
                "run.json": {"trainer": "sft", "model_name_or_path": "m"},
                "m/adapter_config.json": {"base_model_name_or_path": "/nowhere/qwen"},
            },
            says="m is an adapter, and its base model /nowhere/qwen is not here",
        ),
        Bad(
            {
                "run.json": {"trainer": "sft", "model_name_or_path": "modl"},
                "model/config.json": {"model_type": "llama"},
            },
            says="there is no folder modl, so the Hub is searched for it",
        ),
        Good(
            {
                "run.json": {"trainer": "sft", "model_name_or_path": "gpt2"},
                "gpt2-s/config.json": {"model_type": "gpt2"},
            },
            skipped="gpt2 is not in the local cache",
        ),
        Bad({"run.json": {"trainer": "sft", "model_name_or_path": 5}}, says="is 5, which is no"),
        Good(
            {
                "run.json": {"trainer": "sft", "model_name_or_path": "m"},
                "m/config.json": {"model_type": "llama"},
            }
        ),
        Good(
            {
                "job.yaml": "kind: Job\napiVersion: batch/v1\ncommand: "
                '["trl", "sft", "--model_name_or_path", "/models/qwen/base"]\n'
            },
            "job.yaml",
            skipped="/models/qwen/base is not here, and may be a file of the machine that the job",
        ),
        Good(
            script("SFT", "model='/users_of_a_cluster/me/model'"),
            "train.py",
            skipped="and this machine has no /users_of_a_cluster",
        ),
        Good(
            script("SFT", "model='./out/first/last'", before=STAGE),
            "train.py",
            skipped="the script itself writes ./out/first/last, which is not here yet",
        ),
        Good(
            {
                "run.json": {"trainer": "sft", "model_name_or_path": "unsloth/llama"},
                "unsloth/models.py": "",
            },
            skipped="unsloth/llama is not in the local cache",
        ),
        Good(
            script("SFT", "model='here'", before=FETCHED),
            "train.py",
            skipped="the script itself writes here, which is not here yet",
        ),
    ),
)
