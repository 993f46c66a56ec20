"""The services that a script logs in to by itself."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.files.source.reading import Reading

LOGINS = {
    "hub": ("huggingface_hub.login", "huggingface_hub.notebook_login",
            "huggingface_hub.interpreter_login", "huggingface_hub.HfFolder.save_token"),
    "wandb": ("wandb.login",),
}  # fmt: skip
SETTINGS = {
    "hub": ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"),
    "wandb": ("WANDB_API_KEY", "WANDB_MODE", "WANDB_DISABLED"),
}
"""Functions and variables by which a script logs in, or does without."""


def logged_in(reading: Reading) -> Iterator[str]:
    """Their names: "hub" and "wandb"."""
    called = {made.of for made in reading.state.made}
    for service, functions in LOGINS.items():
        variables = SETTINGS[service]
        if called & set(functions) or reading.state.set_variables.keys() & set(variables):
            yield service
