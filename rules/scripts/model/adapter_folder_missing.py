"""The folder from which an adapter is loaded does not exist.

PEFT takes a name that is no folder for one of the Hub. The script stops when it loads the adapter:
"Can't find 'adapter_config.json'". The folder has another name, or the script starts in another
one; often the number of a checkpoint is wrong.

Remedy: correct the path. A relative path starts at the folder in which the job is started.

Versions: every release of PEFT. Not reported: names that can be those of a repository on the Hub,
and folders that the script may write itself, or has another use for.

Seen: reproduced with `PeftModel.from_pretrained(model, "./adapters/sft")` of peft 0.21.2; with the
right folder the script trains.
"""

import ast
import posixpath
from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.named_files import uncertain
from trl_doctor.facts.model.hub_copies import looks_like_hub_id
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import chain, loads_adapter, passed
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.trainer_methods import place_of
from trl_doctor.facts.training.references import adapter_path

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    calls = [call for call in chain(passed(facts).given("model")) if loads_adapter(call)]
    if not calls:
        raise NotConcerned("the script loads no adapter")
    for call in calls:
        path = adapter_path(call)
        if not path or looks_like_hub_id(path) or _is_here(facts, path):
            continue
        if why := uncertain(facts, path):
            raise Unavailable(why)
        if _named_again(facts, path):
            raise Unavailable(f"the script itself may write {path}, which is not here yet")
        yield Finding(place_of(facts, call), f"there is no folder {path} to load an adapter from")


def _is_here(facts: Facts, path: str) -> bool:
    return any((root / Path(path).expanduser()).exists() for root in facts.run.roots)


def _named_again(facts: Facts, path: str) -> bool:
    """Whether another text of the script names the folder or one above it: it may be written."""
    wanted, times = posixpath.normpath(path), 0
    for node in facts[code].nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
            named = posixpath.normpath(node.value)
            if wanted.startswith(f"{named}/"):
                return True
            times += named == wanted
    return times != 1


MODEL = (
    "from peft import PeftModel\n"
    "from transformers import AutoModelForCausalLM\n"
    "base = AutoModelForCausalLM.from_pretrained('org/m')\n"
)
LOADED = f"{MODEL}model = PeftModel.from_pretrained(base, '{{}}')\n"
STAGE = "first = SFTConfig('./stage')\n"
HERE: dict[str, Json] = {"adapters/sft/adapter_config.json": {"peft_type": "LORA"}}
SAVED = "base.save_pretrained('./adapters/sft')\n"


def _script(path: str, before: str = "") -> dict[str, str]:
    return script("SFT", "model=model", before=before + LOADED.format(path))


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Can't find 'adapter_config.json'",
    examples=(
        Bad(_script("./adapters/sft"), "train.py", says="there is no folder ./adapters/sft"),
        Bad(_script("runs/sft/checkpoint-500"), "train.py", says="runs/sft/checkpoint-500"),
        Good({**_script("./adapters/sft"), **HERE}, "train.py"),
        Good(_script("org/sft-adapter"), "train.py"),
        Good(
            _script("./stage/checkpoint-9", STAGE),
            "train.py",
            skipped="the script itself may write ./stage/checkpoint-9",
        ),
        Good(
            script("SFT", "model=model", before=MODEL + SAVED
                   + LOADED.removeprefix(MODEL).format("./adapters/sft")),
            "train.py",
            skipped="train.py may make ./adapters/sft itself",
        ),
    ),
)  # fmt: skip
