"""What TRL accepts, read from sources: on a small made-up TRL, and on a real one if it is here."""

from __future__ import annotations

import ast
import dataclasses
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from trl_doctor.core.trainer import TRAINERS, Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import library
from trl_doctor.facts.library import offered
from trl_doctor.facts.library.classes import Damaged, Definition, Sources
from trl_doctor.facts.library.exports import arguments, homes
from trl_doctor.facts.library.module import Module, dataclass_head
from trl_doctor.machine.environment import Environment, environment

GRPO, SFT, PPO, KTO = (TRAINERS[name] for name in ("grpo", "sft", "ppo", "kto"))

SCRIPT = """
from dataclasses import dataclass, field
from trl.scripts.utils import ScriptArguments

@dataclass
class {stem}ScriptArguments(ScriptArguments):
    reward_funcs: list[str] | None = field(default=None, metadata={{"help": "x: y"}})

def make_parser(prog=None):
    from trl import ModelConfig, {stem}Config
    dataclass_types = ({stem}ScriptArguments, {stem}Config, ModelConfig)
    return TrlParser(dataclass_types)
"""

SMALL = {
    "trl/__init__.py": """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from .trainer import GRPOConfig, GRPOTrainer, KTOConfig, KTOTrainer, ModelConfig
            from .scripts import ScriptArguments
        else:
            sys.modules[__name__] = Lazy()
        """,
    "trl/trainer/__init__.py": """
        from .config import GRPOConfig, ModelConfig
        from .grpo_trainer import GRPOTrainer
        from .kto import KTOConfig, KTOTrainer
        """,
    "trl/trainer/base.py": """
        from dataclasses import dataclass
        from transformers import TrainingArguments
        @dataclass
        class _Base(TrainingArguments):
            logging_steps: float = 10
        """,
    "trl/trainer/config.py": """
        from dataclasses import dataclass, field
        from typing import ClassVar
        from .base import _Base
        @dataclass
        class GRPOConfig(_Base):
            _VALID = ["x"]
            known: ClassVar[int] = 1
            beta: float = field(default=0.0, metadata={"help": "x"})
            loss_type: list[str] = field(default_factory=lambda: ["a", "b"])
            names: list[str] = field(default_factory=list)
            hidden: int = field(init=False, default=3)
            required: str
            def __post_init__(self):
                local: int = 3
        @dataclass(kw_only=True)
        class ModelConfig:
            dtype: str = "auto"
        """,
    "trl/trainer/grpo_trainer.py": """
        from transformers import Trainer
        class Mixin:
            def __init__(self, model, reward_funcs, *, args=None, **kwargs): ...
        class GRPOTrainer(Mixin, Trainer): ...
        """,
    "trl/trainer/kto.py": """
        from dataclasses import dataclass
        from ..experimental.kto import KTOConfig as _KTOConfig, KTOTrainer as _KTOTrainer
        @dataclass
        class KTOConfig(_KTOConfig): ...
        class KTOTrainer(_KTOTrainer):
            def __init__(self, *args, **kwargs): ...
        """,
    "trl/experimental/kto/__init__.py": """
        from dataclasses import dataclass
        from ...trainer.base import _Base
        @dataclass
        class KTOConfig(_Base):
            beta: float = 0.1
        class KTOTrainer:
            def __init__(self, model, args=None): ...
        """,
    "trl/scripts/__init__.py": "from .utils import ScriptArguments\n",
    "trl/scripts/utils.py": """
        from dataclasses import dataclass
        @dataclass
        class ScriptArguments:
            dataset_name: str
        """,
    "trl/scripts/grpo.py": SCRIPT.format(stem="GRPO"),
    "trl/cli/commands/training.py": "",
    "transformers/__init__.py": "raise ImportError('nobody may import this')\n",
    "transformers/training_args.py": """
        from dataclasses import dataclass, field
        @dataclass
        class TrainingArguments:
            output_dir: str | None = None
            logging_steps: float = field(
                default=500,
                metadata={"help": "x"},
            )
            bf16: bool = False
            def __post_init__(self): ...
        """,
    "accelerate/__init__.py": "",
    "accelerate/commands/launch.py": """
        def launch_command_parser(subparsers=None):
            parser.add_argument("-h", "--help", action="help")
            parser.add_argument("--cpu", default=False, action="store_true")
            parser.add_argument("--num-processes", "--num_processes", type=int, default=None)
            parser.add_argument("--env", metavar="NAME=VALUE", action="append")
        """,
}
KEYS = {"output_dir", "logging_steps", "bf16", "beta", "loss_type", "names", "required"}


def lay(folder: Path, files: Mapping[str, str]) -> Environment:
    """An environment with these sources; trl is 1.16.0, the others are 5.0."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    for name in ("trl-1.16.0", "transformers-5.0", "accelerate-5.0"):
        (folder / f"{name}.dist-info").mkdir(exist_ok=True)
        (folder / f"{name}.dist-info" / "METADATA").touch()
    return Environment(Path("python"), (folder,))


def test_fields_of_a_config_and_its_bases(tmp_path: Path) -> None:
    fields = library.config_fields(lay(tmp_path, SMALL), "GRPOConfig")
    assert fields is not None and set(fields) == KEYS | {"hidden"}
    defaults = {name: (field.default, field.owner) for name, field in fields.items()}
    assert defaults["logging_steps"] == ("10", "_Base")
    assert defaults["bf16"] == ("False", "TrainingArguments")
    assert defaults["loss_type"] == ("['a', 'b']", "GRPOConfig") and defaults["names"][0] == "[]"
    assert defaults["required"][0] is None and fields["beta"].annotation == "float"
    assert not fields["hidden"].init and fields["beta"].init


def test_a_class_that_is_not_there(tmp_path: Path) -> None:
    assert library.config_fields(lay(tmp_path, SMALL), "PPOConfig") is None


def test_what_a_command_takes(tmp_path: Path) -> None:
    result = library.accepted(lay(tmp_path, SMALL), GRPO)
    assert set(result.fields) == KEYS | {"dataset_name", "reward_funcs", "dtype"}
    assert set(result.config) == KEYS | {"hidden"}
    assert (result.source, result.unknown) == ("installed trl 1.16.0", "launched")
    assert (result.fallback, result.absent) == ("", "")


def test_a_trainer_without_a_command_takes_what_the_examples_parse(tmp_path: Path) -> None:
    result = library.accepted(lay(tmp_path, SMALL), KTO)
    assert set(result.fields) == {
        "output_dir", "logging_steps", "bf16", "beta", "dataset_name", "dtype"
    }  # fmt: skip
    assert result.unknown is None and result.source == "installed trl 1.16.0"


@pytest.mark.parametrize(
    ("cli", "utils", "ending", "unknown"),
    [
        ("parser.parse_args()", "", "parse_args_and_config()", "never read"),
        ("launch_args", "", "parse_args_and_config()", "ignored"),
        ("launch_args", "fail_with_unknown_args", "parse_args_and_config()", "refused"),
        ("launch_args", "fail_with_unknown_args", "p(return_remaining_strings=True)", "ignored"),
        ("launch_args + [str(grpo_training_script)]", "", "parse_args_and_config()", "launched"),
    ],
)  # fmt: skip
def test_the_ways_of_older_commands(
    tmp_path: Path, cli: str, utils: str, ending: str, unknown: str
) -> None:
    files = {name: text for name, text in SMALL.items() if not name.startswith("trl/cli/")}
    files["trl/cli.py"] = cli
    files["trl/scripts/utils.py"] = textwrap.dedent(SMALL["trl/scripts/utils.py"]) + utils
    files["trl/scripts/grpo.py"] = f"{SCRIPT.format(stem='GRPO')}\nparser.{ending}\n"
    assert library.accepted(lay(tmp_path, files), GRPO).unknown == unknown


def test_options_of_the_launcher(tmp_path: Path) -> None:
    options = library.launch_options(lay(tmp_path, SMALL))
    expected = {"cpu": False, "num_processes": True, "env": True, "accelerate_config": True}
    assert options == expected
    shipped = library.launch_options(environment(None, installed=False))
    assert shipped["num_processes"] and not shipped["multi_gpu"]


def test_homes_and_arguments_of_trainers(tmp_path: Path) -> None:
    world = lay(tmp_path, SMALL)
    assert homes(library.sources(world), "KTOTrainer") == ("trl.experimental.kto", "trl")
    assert dict(offered.trainer_exports(world)) == {
        "GRPOTrainer": "trl",
        "KTOTrainer": "trl.experimental.kto",
    }
    sources = library.sources(world)
    assert arguments(sources, "KTOTrainer") == ("model", "args")
    assert arguments(sources, "GRPOTrainer") == ("model", "reward_funcs", "args", "**kwargs")
    assert arguments(sources, "PPOTrainer") is None


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("trl/trainer/config.py", "class GRPOConfig(:\n", "config.py, line 1 is not Python"),
        ("trl/trainer/config.py", "\udcff", "config.py is not UTF-8 at byte 0"),
        ("trl/trainer/config.py", "x\0", "config.py is not Python"),
        ("trl/trainer/base.py", None, "config.py needs _Base of trl.trainer.base"),
        ("trl/trainer/base.py", "", "config.py needs _Base of trl.trainer.base"),
        ("trl/scripts/grpo.py", "dataclass_types = 1\n", "does not say which classes it parses"),
        ("trl/scripts/utils.py", "", "needs ScriptArguments of trl.scripts.utils"),
        ("transformers/training_args.py", "", "base.py needs TrainingArguments of transformers"),
        ("transformers/training_args.py", "(" * 3000, "training_args.py"),
    ],
)
def test_damaged_sources_are_reported_and_the_history_is_used(
    tmp_path: Path, file: str, text: str | None, says: str
) -> None:
    world = lay(tmp_path, SMALL)
    (tmp_path / file).unlink()
    if text is not None:
        (tmp_path / file).write_bytes(text.encode(errors="surrogateescape"))
    result = library.accepted(world, GRPO)
    assert says in result.fallback
    assert result.source == "arguments recorded from trl 1.16.0" and result.unknown == "launched"
    assert {"num_generations", "output_dir", "dataset_name", "dtype"} <= set(result.fields)


def test_transformers_without_sources_comes_from_the_history(tmp_path: Path) -> None:
    files = {name: text for name, text in SMALL.items() if not name.startswith("transformers")}
    result = library.accepted(lay(tmp_path, files), GRPO)
    assert result.source == "installed trl 1.16.0"
    assert result.fields["warmup_ratio"].owner == "TrainingArguments"
    assert result.fields["logging_steps"].default == "10"


def test_a_stated_release_is_read_from_the_history(tmp_path: Path) -> None:
    installed = lay(tmp_path, SMALL)
    stated = Environment(Path("python"), installed.paths, {"trl": Version("0.15.2")})
    result = library.accepted(stated, GRPO)
    assert result.source == "arguments recorded from trl 0.15.2" and result.unknown == "never read"
    assert result.fallback == "trl 0.15.2 was given with --with, trl 1.16.0 is installed"
    assert "vllm_device" in result.fields and "vllm_mode" not in result.fields
    inherited = {
        name for name, field in result.fields.items() if field.owner == "TrainingArguments"
    }
    assert inherited == {"output_dir", "logging_steps", "bf16"}
    assert offered.trainer_exports(stated)["PPOTrainer"] == "trl"


@pytest.mark.parametrize(
    ("stated", "trainer", "source", "absent"),
    [
        (["trl==0.27.2"], GRPO, "arguments recorded from trl 0.27.2", ""),
        (["trl==0.27.3"], GRPO, "arguments recorded from trl 0.27.2", ""),
        (["trl==9.0"], GRPO, "arguments recorded from trl 1.16.0", ""),
        (
            ["trl==1.16.0"],
            PPO,
            "arguments recorded from trl 1.12.0",
            "trl 1.16.0 has no PPOTrainer (the last",
        ),
        (
            ["trl==0.9.6"],
            GRPO,
            "arguments recorded from trl 0.14.0",
            "trl 0.9.6 has no GRPOTrainer (it came",
        ),
        (["trl==0.5.0"], GRPO, "none: trl 0.5.0 is older than the known releases", ""),
        ([], GRPO, "arguments recorded from trl 1.16.0 (the newest known release: no trl", ""),
        ([], PPO, "arguments recorded from trl 1.12.0 (the newest known release: no trl", ""),
        ([], Trainer("none", "None"), "none: no known trl has it", ""),
    ],
)
def test_without_an_installed_trl(
    stated: list[str], trainer: Trainer, source: str, absent: str
) -> None:
    result = library.accepted(environment(None, stated, installed=False), trainer)
    assert result.source.startswith(source) and result.absent.startswith(absent)
    assert bool(result.absent) == bool(absent) and result.fallback
    assert bool(result.fields) == source.startswith("arguments recorded")


def test_every_trainer_has_an_answer_in_every_release() -> None:
    from trl_doctor.facts.library.releases import line, newest_release

    assert line("trl").nearest(newest_release()) == newest_release()
    for version in ("0.7.11", "0.12.2", "0.24.0", "1.0.0", str(newest_release())):
        world = environment(None, [f"trl=={version}"], installed=False)
        for trainer in TRAINERS.values():
            result = library.accepted(world, trainer)
            assert result.config, (version, trainer)
            assert set(result.config) <= set(result.fields)


def test_circles_end() -> None:
    sources = Sources({})
    assert sources.module("trl") is None and sources.definition("trl", "GRPOConfig") is None


@pytest.mark.parametrize(
    "files",
    [
        {"trl/__init__.py": "from .a import X\n", "trl/a.py": "from . import X\n"},
        {"trl/__init__.py": "class X(Y): ...\nclass Y(X): ...\n"},
        {
            "trl/__init__.py": "from .b import X as _X\nclass X(_X): ...\n",
            "trl/b.py": "from . import X as _X\nclass X(_X): ...\n",
        },
    ],
)
def test_circles_of_imports_and_bases_end(tmp_path: Path, files: dict[str, str]) -> None:
    world = lay(tmp_path, files)
    try:
        fields = library.config_fields(world, "X")
    except Unavailable as reason:
        assert isinstance(reason, Damaged)
    else:
        assert not fields


METHODS = "    def f(self):\n        '''x:\n        y: z\n        '''\n        z: int = 3\n"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (f"@dataclass\nclass A:\n    x: int = 1\n{METHODS}\nclass B: ...\n", True),
        (f"@dataclass\nclass A:\n    x: int = 1\n{METHODS}    late: int = 2\n", False),
        ("@dataclass\nclass A:\n    x: int = 1\n", False),
        (f"@other\nclass A:\n    x: int = 1\n{METHODS}", False),
    ],
)
def test_a_class_is_cut_short_only_where_no_field_is_lost(text: str, whole: bool) -> None:
    cut = dataclass_head(text, "A")
    assert (cut is not None) == whole
    if cut:
        shortened, full = (Module("m", Path("m.py"), source) for source in (cut, text))
        fields = list(shortened.own_fields(shortened.classes["A"]))
        assert fields == list(full.own_fields(full.classes["A"])) and fields


DEFAULTS = st.sampled_from(
    ["1", "-2.5", "1e-6", "None", "True", "'a'", '"b"', "()", "(1,\n        2)", "field(default=7)",
     "field(default_factory=list)", "field(default_factory=lambda: [1, 2])",
     "field(\n        default='x',\n        metadata={'help': 'a: b'},\n    )",
     "field(default=0, init=False)", "dataclasses.field(default=None)"]
)  # fmt: skip
NAMES = st.sampled_from(["alpha", "beta", "gamma", "delta", "_epsilon"])
CLASS = st.tuples(st.booleans(), st.dictionaries(NAMES, DEFAULTS, max_size=4))


@given(st.lists(CLASS, min_size=1, max_size=4))
def test_fields_are_those_that_python_sees(classes: list[tuple[bool, dict[str, str]]]) -> None:
    """Real dataclasses, each deriving from the one before; some are not decorated."""
    lines = ["import dataclasses", "from dataclasses import dataclass, field"]
    for number, (decorated, fields) in enumerate(classes):
        base = f"(C{number - 1})" if number else ""
        lines += ["@dataclass"] if decorated or not number else []
        lines += [f"class C{number}{base}:", "    '''Text: more.'''", "    plain = 3"]
        lines += [f"    {name}: int = {default}" for name, default in fields.items()]
    text, last = "\n".join(lines), f"C{len(classes) - 1}"
    real: dict[str, object] = {}
    exec(text, real)
    module = Module("m", Path("m.py"), text)
    sources = Sources({})
    sources._modules["m"] = module
    own_fields = sources.fields(Definition("m", module.classes[last]))
    real_fields = dataclasses.fields(real[last])  # type: ignore[arg-type]
    assert list(own_fields) == [field.name for field in real_fields]
    for field in real_fields:
        default = field.default_factory() if callable(field.default_factory) else field.default
        assert ast.literal_eval(own_fields[field.name].default or "") == default
        assert own_fields[field.name].init == field.init


def real_trl() -> ModuleType:
    return pytest.importorskip("trl", reason="no trl is importable from the running interpreter")


@pytest.mark.parametrize("stem", ["GRPO", "RLOO", "SFT", "DPO", "KTO", "Reward"])
def test_the_real_configs(stem: str) -> None:
    real = getattr(real_trl(), f"{stem}Config")
    fields = library.config_fields(environment(None), f"{stem}Config")
    assert fields is not None
    assert list(fields) == [field.name for field in dataclasses.fields(real)]


@pytest.mark.parametrize("name", ["grpo", "rloo", "sft", "dpo", "kto", "reward"])
def test_the_real_commands(name: str) -> None:
    real_trl()
    parser = pytest.importorskip(f"trl.scripts.{name}").make_parser()
    options = {action.dest for action in parser._actions} - {"help"}
    assert set(library.accepted(environment(None), TRAINERS[name]).fields) == options


@pytest.mark.parametrize("name", ["grpo", "rloo", "sft", "dpo", "kto", "reward"])
def test_the_history_agrees_with_the_real_release(name: str) -> None:
    real_trl()
    here = environment(None)
    versions = [f"{package}=={here.version(package)}" for package in ("trl", "transformers")]
    history = library.accepted(environment(None, versions, installed=False), TRAINERS[name])
    answer = library.accepted(here, TRAINERS[name])
    assert history.source.startswith("arguments recorded") and answer.source.startswith("installed")
    defaults = {key: field.default for key, field in answer.fields.items()}
    assert {key: field.default for key, field in history.fields.items()} == defaults


def test_nothing_heavy_is_imported() -> None:
    code = """
    import sys
    from trl_doctor.facts import library
    from trl_doctor.machine import gpu
    from trl_doctor.facts.library import advisories
    from trl_doctor.facts.library import releases
    from trl_doctor.machine.environment import environment
    from trl_doctor.core.trainer import TRAINERS
    library.accepted(environment(None, ["trl==1.16.0"], installed=False), TRAINERS["grpo"])
    heavy = {"torch", "transformers", "trl", "vllm", "pynvml", "jinja2", "packaging.specifiers",
             "huggingface_hub", "tokenizers", "ruamel", "subprocess"}
    print(sorted(heavy & set(sys.modules)))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "[]\n"
