"""Settings of FSDP in accelerate's file, as accelerate reads them."""

from __future__ import annotations

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import Settings, accelerate_settings

PART, SAGEMAKER = "fsdp_config", "AMAZON_SAGEMAKER"
TRUE = ("y", "yes", "t", "true", "on", "1")
FALSE = ("n", "no", "f", "false", "off", "0")
"""Words that accelerate takes for true and for false, in lower case."""


def fsdp_file(facts: Facts) -> Settings:
    """The file of accelerate where it asks for FSDP; raises `NotConcerned` otherwise."""
    file = facts[accelerate_settings]
    if file.get("distributed_type") != "FSDP" or file.get("compute_environment") == SAGEMAKER:
        raise NotConcerned("accelerate's file does not ask for FSDP")
    return file


def route(file: Settings, key: str) -> tuple[str, str]:
    """Where a setting is written: `fsdp_` may be left out, and the last of two counts."""
    names = [name for name in file.part(PART) if name.removeprefix("fsdp_") == key]
    return (PART, names[-1] if names else f"fsdp_{key}")


def setting(file: Settings, key: str) -> Json:
    """A setting by its name without `fsdp_`; None if it is not there."""
    return file.get(*route(file, key))


def text(file: Settings, key: str) -> str:
    """The same in lower case, as accelerate compares it; "" if it is not there."""
    value = setting(file, key)
    return "" if value is None else str(value).lower()


def version(file: Settings) -> str:
    """Which FSDP: "1" by default."""
    return text(file, "version") or "1"
