"""`save_file` of safetensors gets tied weights.

A model with `tie_word_embeddings` has one table for its embedding and its head. Its `state_dict()`
has this table twice, and `safetensors.torch.save_file` refuses weights that share memory: "Some
tensors share memory". The script fails when it saves, after steps or hours of training.

Remedy: `model.save_pretrained(folder)`, or `safetensors.torch.save_model(model, file)`, which write
such a table once; or take the head out of the state dict before.

Versions: every release of safetensors. A state dict of which the script changes entries, and a call
whose error it catches, are left alone.

Seen: LlamaFactory#10137, Megatron-Bridge#919. Reproduced with DPO and SFT of trl 1.16.0 and 0.24.0:
the callback that saves fails; with the remedies the run ends.
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.syntax.saved_states import saved_states

from ..._recorded.candidate import config_files, under
from ..._recorded.scripts import LOCAL, script

KEY = "tie_word_embeddings"
HEADLESS = ("reward", "prm")
"""Trainers whose models have no head of words."""


def check(facts: Facts) -> Iterator[Finding]:
    saved = facts[saved_states]
    if not saved or known_trainer(facts) in HEADLESS:
        raise NotConcerned("the script gives no state dict of a language model to save_file")
    if facts[model_config].get(KEY) is not True:
        return
    for state in saved:
        yield Finding(
            state.place,
            f"save_file gets {state.model}.state_dict(), in which the embedding and the head share "
            f"memory ({KEY} is true): safetensors refuses it",
            remedy=f"call {state.model}.save_pretrained(…), or save_model of safetensors.torch",
        )


IMPORT = "from safetensors.torch import save_file\n"
SAVE = "save_file(t.model.state_dict(), 'final.safetensors')\n"


def _saving(
    after: str, tied: Json = True, trainer: str = "SFT", before: str = IMPORT
) -> dict[str, Any]:
    text = script(trainer, "model='model'", rows=LOCAL)["train.py"]
    text = before + text.replace(f"{trainer}Trainer(a", f"t = {trainer}Trainer(a") + after
    return {**under("model", config_files({KEY: tied})), "train.py": text}


HELD = "states = t.model.state_dict()\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="tensors share memory",
    examples=(
        Bad(_saving(SAVE), "train.py", says="save_file gets t.model.state_dict(), in which"),
        Bad(
            _saving(f"{HELD}save_file(states, 'a')\n"), "train.py", says="gets t.model.state_dict()"
        ),
        Bad(
            _saving(
                "safetensors.torch.save_file(t.model.state_dict(), 'a')\n",
                before="import safetensors.torch\n",
            ),
            "train.py",
            says="the embedding and the head share memory",
        ),
        Good(_saving(SAVE, tied=False), "train.py"),
        Good(_saving(SAVE, trainer="Reward"), "train.py"),
        Good(_saving(f"{HELD}del states['lm_head.weight']\nsave_file(states, 'a')\n"), "train.py"),
        Good(
            _saving("save_file({k: v.clone() for k, v in t.model.state_dict().items()}, 'a')\n"),
            "train.py",
        ),
        Good(_saving("save_file(t.model.score.state_dict(), 'a')\n"), "train.py"),
        Good(
            _saving(SAVE, before="from safetensors.torch import save_model as save_file\n"),
            "train.py",
        ),
    ),
)
