"""The trainers that a run can name, and the names that TRL gives to their classes."""

from __future__ import annotations

from msgspec import Struct

from trl_doctor.core.unavailable import Unavailable


class Trainer(Struct, frozen=True):
    """`name` is the name in a run file (`trainer: grpo`) and in TRL's command line."""

    name: str
    stem: str

    @property
    def config(self) -> str:
        """The class of its arguments, `GRPOConfig`."""
        return f"{self.stem}Config"

    @property
    def trainer(self) -> str:
        """The class that trains, `GRPOTrainer`."""
        return f"{self.stem}Trainer"


TRAINERS: dict[str, Trainer] = {
    name: Trainer(name, stem)
    for name, stem in {
        "grpo": "GRPO",
        "rloo": "RLOO",
        "ppo": "PPO",
        "sft": "SFT",
        "dpo": "DPO",
        "kto": "KTO",
        "reward": "Reward",
        "online_dpo": "OnlineDPO",
        "gkd": "GKD",
        "gold": "GOLD",
        "distillation": "Distillation",
        "iw_opd": "IWOPD",
        "sdft": "SDFT",
        "sdpo": "SDPO",
        "orpo": "ORPO",
        "cpo": "CPO",
        "bco": "BCO",
        "xpo": "XPO",
        "nash_md": "NashMD",
        "prm": "PRM",
        "tpo": "TPO",
        "a2po": "A2PO",
        "gmpo": "GMPO",
        "async_grpo": "AsyncGRPO",
    }.items()
}

COMMON = ("grpo", "rloo", "ppo", "sft", "dpo", "kto", "reward")
"""The trainers that can be inferred from the keys of a run file."""

SAME_ARGUMENTS = tuple(name for name in COMMON if name != "ppo")
"""Those of them whose classes call what they are given `model`, `args` and `train_dataset`."""

ONLINE = frozenset(
    ("grpo", "rloo", "ppo", "online_dpo", "xpo", "nash_md", "gkd", "gold", "distillation", "iw_opd",
     "sdft", "sdpo", "a2po", "gmpo", "async_grpo")
)  # fmt: skip
"""Trainers that generate while they train."""


def named(text: str) -> Trainer | None:
    """The trainer with a name as people write it: `grpo`, `GRPO`, `GRPOTrainer` and `GRPOConfig`
    are all accepted.
    """
    plain = text.strip().lower().replace("-", "_")
    for suffix in ("trainer", "config"):
        plain = plain.removesuffix(suffix).rstrip("_")
    by_stem = {trainer.stem.lower(): trainer for trainer in TRAINERS.values()}
    return TRAINERS.get(plain) or by_stem.get(plain.replace("_", ""))


def no_trainer_named(text: str) -> str:
    """A sentence for a name that `named` does not know."""
    from trl_doctor.core.similar import similar

    near = similar(text.strip().lower(), TRAINERS)
    hint = f"did you mean {near[0]}?" if near else f"they are {', '.join(TRAINERS)}"
    return f"{text} is not a trainer of TRL; {hint}"


NOT_KNOWN = "the trainer is not known"
"""How each reason begins that a run without a known trainer gives."""


class TrainerOpen(Unavailable):
    """The trainer is not known; `candidates` are the names of the possible trainers."""

    def __init__(self, message: str, candidates: tuple[str, ...]) -> None:
        super().__init__(message)
        self.candidates = candidates
