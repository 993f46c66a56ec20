"""The installed libraries cannot train any model.

A healthy model with default arguments fails in the same trainer with the same error. The model of
the run is not the cause: in this installation the job would fail with any model.

Remedy: install releases that work together in the environment of the job.

Versions: trl 1.15.0 needs triton for GRPO, RLOO, SFT and DPO, which torch for CPUs does not have;
trl 0.14.0 with transformers 4.52.4 and newer cannot train KTO, and trl 0.15.2 and 0.16.1 cannot
train GRPO with it; trl up to 0.14.0 does not read conversations for SFT from today's datasets.

Seen: trl 1.15.0 on a torch without triton: "'NoneType' object has no attribute 'apply'"; trl 0.14.0
with transformers 4.53.3: "KTOTrainer._get_train_sampler() takes 1 positional argument but 2 were
given"; trl 0.12.2 with datasets 5.0.1: "KeyError: 'text'".
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.dataset import kind
from trl_doctor.facts.measured.step import control, installation_at_fault, step
from trl_doctor.facts.measured.step_failure import calls, repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.step import FILES, TRL, answered, answers, raised, well

NO_CHATS = "KeyError: 'text'"
"""What SFT of trl 0.14.0 and before says of conversations, with today's datasets."""

TOGETHER = ("trl", "transformers", "torch", "accelerate", "datasets", "peft")


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[step]
    if answer.state not in ("raised", "died"):
        answer.measured()
        return
    healthy = installation_at_fault(facts)
    if healthy is not None and NO_CHATS in healthy.reason and facts.get(kind) is None:
        raise Unavailable(
            f"{trainer(facts)} reads no conversations here, and the format of the rows is not known"
        )
    if healthy is None:
        if facts[control].state != "answered":
            raise Unavailable(
                f"a healthy model fails too, with another error: {facts[control].reason}"
            )
        return
    versions = {name: facts.environment.version(name) for name in TOGETHER}
    installed = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    yield Finding(
        facts.run.place(),
        f"{trainer(facts)} cannot train here, not even a healthy model: {healthy.reason}",
        evidence=(
            f"installed: {installed}",
            "the healthy model was trained on conversations",
            *calls(healthy),
            *repeated(healthy),
        ),
        remedy=_remedy(facts, healthy.reason),
        follows=("library-does-not-import", "trl-fails-with-this-transformers"),
    )


def _remedy(facts: Facts, reason: str) -> str:
    trl = facts.environment.version("trl")
    if trl == Version("1.15.0") and "'apply'" in reason:
        return "install trl 1.16.0 or newer, or a torch with triton"
    if "_get_train_sampler" in reason:
        return f"install transformers 4.51.3, or a newer trl than {trl}"
    return f"install releases that are as old as trl {trl}, or a newer trl"


NO_KERNEL = raised(
    "AttributeError",
    "'NoneType' object has no attribute 'apply'",
    ("site-packages/trl/trainer/utils.py", 1638, "_fused_forward", "x = _Chunked.apply("),
)
CHATS = raised("KeyError", "'text'")
CHATTING = candidate({**RUN, "trainer": "sft"}, TOKENIZER, CONFIG)
UNSAID = candidate({key: value for key, value in RUN.items() if key != "dataset_format"}
                   | {"trainer": "sft"}, TOKENIZER, CONFIG)  # fmt: skip
SAMPLER = raised(
    "TypeError",
    "KTOTrainer._get_train_sampler() takes 1 positional argument but 2 were given",
    ("site-packages/transformers/trainer.py", 1021, "_get_dataloader", "sampler_fn(dataset)"),
)
ELSEWHERE = raised("ValueError", "Unknown loss type: dapo")
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions={"trl": "1.15.0", "transformers": "5.23.0"},
            answers=answers(NO_KERNEL, NO_KERNEL),
            says="not even a healthy model: AttributeError: 'NoneType' object has no attribute",
        ),
        Bad(
            FILES,
            versions={"trl": "0.14.0", "transformers": "4.53.3"},
            answers=answers(SAMPLER, SAMPLER),
            says="takes 1 positional argument but 2 were given",
        ),
        Good(FILES, versions=TRL, answers=answers(ELSEWHERE, well())),
        Bad(
            CHATTING,
            versions={"trl": "0.12.2", "transformers": "4.46.3"},
            answers=answers(CHATS, CHATS),
            says="SFTTrainer of trl 0.12.2 cannot train here",
        ),
        Good(
            UNSAID,
            versions={"trl": "0.12.2", "transformers": "4.46.3"},
            answers=answers(CHATS, CHATS),
            skipped="reads no conversations here, and the format of the rows is not known",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answers(ELSEWHERE, SAMPLER),
            skipped="a healthy model fails too, with another error",
        ),
        Good(FILES, versions=TRL, answers=answered()),
    ),
)
