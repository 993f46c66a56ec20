"""What is read of vLLM and of TRL's dealings with it: the range, the imports, the architectures."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.version import Version

from trl_doctor.checkup.checkup import examine
from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.finding import Json
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library.architectures import (
    plugins,
    registry,
    removed_architectures,
    runs_with_transformers,
)
from trl_doctor.facts.library.classes import Damaged
from trl_doctor.facts.library.vllm import Missing, missing, window
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment

GRPO = TRAINERS["grpo"]
TRL: dict[str, str] = {
    "trl/__init__.py": "from .trainer import GRPOTrainer",
    "trl/trainer/__init__.py": "from .grpo_trainer import GRPOTrainer",
    "trl/trainer/grpo_trainer.py": "from ..generation.vllm_client import Client\n"
    "from ..data import rows\nclass GRPOTrainer: ...",
    "trl/data.py": "from vllm import Never",
    "trl/generation/__init__.py": "",
    "trl/import_utils.py": "def is_vllm_available(min_version=None):\n"
    '    if not (Version("0.22.0") <= found <= Version("0.31.0")): warn()\n',
}
VLLM: dict[str, str] = {
    "vllm/__init__.py": "from .engine import LLM",
    "vllm/engine.py": "class LLM: ...\ntry:\n    import fast\nexcept ImportError:\n    fast = 1\n",
    "vllm/deep/__init__.py": "",
    "vllm/deep/part.py": "def __getattr__(name): ...",
}
REGISTRY = """
_TEXT = {"LlamaForCausalLM": ("llama", "LlamaForCausalLM")}
_VLLM_MODELS = {**_TEXT, **_ELSEWHERE, "BertModel": ("bert", "BertModel")}
_PREVIOUSLY_SUPPORTED_MODELS = {"OldForCausalLM": "0.9.2"}
"""


def world(folder: Path, *parts: Mapping[str, str], **versions: str) -> Environment:
    """An environment of these sources, with metadata of these versions."""
    files = {name: text for part in parts for name, text in part.items()}
    files |= {f"{name}-{version}.dist-info/METADATA": "" for name, version in versions.items()}
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Environment(Path("python"), (folder,))


def client(text: str) -> dict[str, str]:
    """TRL's client of vLLM."""
    return {"trl/generation/vllm_client.py": text + "\nclass Client: ...\n"}


def test_the_range_is_read_where_trl_checks_it(tmp_path: Path) -> None:
    versions = window(world(tmp_path, TRL, trl="9.0.0"))
    assert versions is not None and "0.31.0" in versions and "0.31.1" not in versions


def test_the_range_of_one_release(tmp_path: Path) -> None:
    text = 'def is_vllm_available():\n    if found != version.parse("0.10.2"): warn()\n'
    versions = window(world(tmp_path, TRL, {"trl/import_utils.py": text}, trl="0.24.0"))
    assert versions is not None and str(versions) == "==0.10.2"


def test_a_stated_trl_has_the_range_of_the_history() -> None:
    versions = window(Environment(Path("python"), (), {"trl": Version("1.12.0")}))
    assert versions is not None and "0.27.1" in versions and "0.28.0" not in versions


def test_no_range_without_trl() -> None:
    with pytest.raises(Unavailable, match="--with trl=="):
        window(Environment(Path("python"), ()))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("if is_vllm_available():\n    from vllm import LLM", []),
        ("if is_vllm_available():\n    from vllm import Gone", ["Gone"]),
        ("from vllm import Gone", ["Gone"]),
        ("from vllm.engine import LLM, fast", []),
        ("from vllm.nowhere import LLM", ["LLM"]),
        ("from vllm import deep", []),
        ("from vllm.deep.part import Anything", []),
        ("NEW = is_vllm_available(min_version='0.28.0')\nif NEW:\n    from vllm import Gone", []),
        ("NEW = is_vllm_available('0.28.0')\nif NEW:\n    pass\nelse:\n    from vllm import Gone",
         ["Gone"]),
        ("if is_vllm_available(min_version='0.20'):\n    from vllm import Gone", ["Gone"]),
        ("if TYPE_CHECKING:\n    from vllm import Gone", []),
        ("if is_ascend_available():\n    from vllm import Gone", []),
        ("if is_vllm_available(min_version='a b'):\n    from vllm import Gone", []),
        ("try:\n    from vllm import Gone\nexcept ImportError:\n    pass", []),
        ("def late():\n    from vllm import Gone", []),
    ],
)  # fmt: skip
def test_what_importing_a_trainer_misses(tmp_path: Path, text: str, names: list[str]) -> None:
    here = world(tmp_path, TRL, VLLM, client(text), trl="1.12.0", vllm="0.27.0")
    assert [symbol.name for symbol in missing(here, GRPO)] == names


def test_imports_of_vllm_are_listed_with_their_modules(tmp_path: Path) -> None:
    here = world(tmp_path, TRL, VLLM, client("from vllm.engine import Gone"), trl="1", vllm="1")
    assert missing(here, GRPO) == (Missing("Gone", "vllm.engine", "trl.generation.vllm_client"),)


def test_nothing_is_missing_of_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="not both installed"):
        missing(world(tmp_path, TRL, client(""), trl="1.12.0"), GRPO)


def engine(folder: Path, text: str, **more: str) -> Environment:
    """An installed vLLM with this registry."""
    file = "vllm/model_executor/models/registry.py"
    return world(folder, {"vllm/__init__.py": "", file: text}, {**more}, vllm="0.32.0")


def test_the_registry(tmp_path: Path) -> None:
    result = registry(engine(tmp_path, REGISTRY))
    assert result.architectures == {"LlamaForCausalLM", "BertModel"}
    assert result.removed == {"OldForCausalLM": "0.9.2"}


@pytest.mark.parametrize(
    ("architecture", "serves"),
    [
        ("LlamaForCausalLM", True),
        ("LlamaModel", True),
        ("LlamaForSequenceClassification", False),
        ("Llama", False),
        ("OldForCausalLM", False),
    ],
)
def test_near_names_are_served(tmp_path: Path, architecture: str, serves: bool) -> None:
    assert registry(engine(tmp_path, REGISTRY)).serves(architecture) is serves


@pytest.mark.parametrize("text", ["", "_VLLM_MODELS = models()", "def"])
def test_a_registry_of_another_kind_is_not_guessed_at(tmp_path: Path, text: str) -> None:
    with pytest.raises(Damaged):
        registry(engine(tmp_path, text))


def test_architectures_that_vllm_dropped() -> None:
    assert removed_architectures(Version("0.32.0"))["MPTForCausalLM"] == "0.28.0"
    assert "MPTForCausalLM" not in removed_architectures(Version("0.28.0"))


def test_plugins_bring_architectures(tmp_path: Path) -> None:
    here = engine(tmp_path, REGISTRY)
    for name, group in (("vllm-0.32.0", "vllm.general_plugins"), ("a-1", "vllm.general_plugins"),
                        ("b-1", "console_scripts")):  # fmt: skip
        file = tmp_path / f"{name}.dist-info" / "entry_points.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"[{group}]\nx = y:z\n")
    assert plugins(here) == ("a",)


ATTENTION = "class XAttention(nn.Module):\n    pass\nclass XForCausalLM(X):\n    pass\n"


@pytest.mark.parametrize(
    ("text", "registered", "answer"),
    [
        (ATTENTION, REGISTRY, False),
        (ATTENTION + "    _supports_attention_backend = True\n", REGISTRY, True),
        (ATTENTION + "    ALL_ATTENTION_FUNCTIONS.get_interface(1)\n", REGISTRY, False),
        (ATTENTION + "    ALL_ATTENTION_FUNCTIONS.get_interface(1)\n",
         REGISTRY + "asked = '_can_set_attn_implementation'", True),
        ("class YForCausalLM(Y): ...", REGISTRY, None),
    ],
)  # fmt: skip
def test_the_fallback_to_transformers(
    tmp_path: Path, text: str, registered: str, answer: bool | None
) -> None:
    here = engine(tmp_path, registered)
    files = {"transformers/__init__.py": "", "transformers/models/x/modeling_x.py": "\n" + text}
    world(tmp_path, files, transformers="5.19.0")
    assert runs_with_transformers(here, "XForCausalLM", "x") is answer
    assert runs_with_transformers(here, "XForCausalLM", "../x") is None


def judged(
    rule: str, here: Environment, folder: Path, run: Mapping[str, Json], model: Mapping[str, Json]
) -> Outcome:
    """The outcome of a rule for a GRPO run with vLLM and its model's config.json."""
    (folder / "model").mkdir()
    (folder / "model/config.json").write_text(json.dumps(model))
    given = {"trainer": "grpo", "model_name_or_path": "model", "use_vllm": True, **run}
    (folder / "run.json").write_text(json.dumps(given))
    pointed = target(str(folder / "run.json"), offline=True)
    rules = [candidate for candidate in discover().rules if candidate.name == rule]
    return examine(open_run(pointed, here, Options(offline=True)), here, rules).outcomes[0]


def test_a_trainer_that_cannot_be_imported_is_an_error(tmp_path: Path) -> None:
    text = "if is_vllm_available():\n    from vllm.engine import Sender"
    here = world(tmp_path / "site", TRL, VLLM, client(text), trl="1.12.0", vllm="0.32.0")
    (finding,) = judged("vllm-outside-trl-window", here, tmp_path, {"use_vllm": False}, {}).findings
    assert "imports Sender from vllm.engine, which vllm 0.32.0 does not have" in finding.message
    assert finding.severity is None and finding.remedy == "install vllm>=0.22.0,<=0.31.0"


@pytest.mark.parametrize(
    ("architecture", "run", "state", "says"),
    [
        ("LlamaForCausalLM", {}, "clear", ""),
        ("XForCausalLM", {}, "found", "vllm 0.32.0 has no XForCausalLM: its engine refuses"),
        ("OldForCausalLM", {}, "found", "has no OldForCausalLM (it had it until 0.9.2)"),
        ("XForCausalLM", {"vllm_model_impl": "auto"}, "clear", ""),
        ("OldForCausalLM", {"vllm_model_impl": "auto"}, "skipped", ""),
        ("OldForCausalLM", {"vllm_model_impl": "transformers"}, "skipped", ""),
    ],
)
def test_an_architecture_is_looked_up_in_the_registry(
    tmp_path: Path, architecture: str, run: dict[str, Json], state: str, says: str
) -> None:
    here = engine(tmp_path / "site", REGISTRY)
    text = "\nclass XForCausalLM(X):\n    _supports_attention_backend = True\n"
    files = {"transformers/__init__.py": "", "transformers/models/x/modeling_x.py": text}
    world(tmp_path / "site", files, transformers="5.19.0")
    model: dict[str, Json] = {"architectures": [architecture], "model_type": "x"}
    outcome = judged("vllm-lacks-architecture", here, tmp_path, run, model)
    assert outcome.state == state, outcome.reason
    assert says in " ".join(finding.message for finding in outcome.findings)
