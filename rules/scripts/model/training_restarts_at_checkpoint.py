"""A training begins anew with the weights of a checkpoint.

The script loads the model from a checkpoint in its `output_dir`, to go on after an interruption,
and calls `train()` without `resume_from_checkpoint`. Only the weights are taken over: the step, the
optimizer, the learning rate's schedule and the place in the data begin again. The learning rate
jumps back to its start, rows are seen twice, and the run makes all of its steps once more.

Remedy: load the model from where it came first, and call
`trainer.train(resume_from_checkpoint=checkpoint)`.

Versions: any. Where a script has several trainers, each is compared with its own folder. Trainers
in a loop, and those that share a folder, are taken for stages of one training.

Seen: LlamaFactory#512. Reproduced with SFT of trl 1.16.0: a job that was ended after 3 of 6 steps
begins with step 1 and the highest learning rate; with `resume_from_checkpoint` it goes on with step
4.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.restarts import weights_of_own_checkpoint

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    if not (places := facts[weights_of_own_checkpoint]):
        raise NotConcerned("no model is loaded from a checkpoint of the run's own")
    for place in places:
        yield Finding(
            place,
            "the model begins with the weights of the run's own checkpoint, and train() is called "
            "without resume_from_checkpoint: steps, optimizer and learning rate begin again",
            remedy="write trainer.train(resume_from_checkpoint=checkpoint), and load the model "
            "from where it came first",
        )


def _script(folder: str, train: str = "train()", name: str = "") -> dict[str, str]:
    before = (
        "from transformers import AutoModelForCausalLM\n"
        "from transformers.trainer_utils import get_last_checkpoint\n"
        f"last = get_last_checkpoint('{folder}')\n"
        f"model = AutoModelForCausalLM.from_pretrained({name or 'last'})\n"
    )
    text = script("SFT", "model=model", before=before)["train.py"]
    text = text.replace("SFTConfig('out', )", "SFTConfig(output_dir='out')")
    return {"train.py": text.replace("SFTTrainer(a", "t = SFTTrainer(a") + f"t.{train}\n"}


def _stages(first: str, second: str, loaded: str, then: str = "two.train()") -> dict[str, str]:
    """A script with two trainers; the second one begins with a checkpoint."""
    made = "two = SFTTrainer(model=model, args=SFTConfig(output_dir='{}'))\n"
    text = script("SFT", f"model='org/m', args=SFTConfig(output_dir='{first}')")["train.py"]
    text = text.replace("args=SFTConfig('out', ), ", "").replace(
        "SFTTrainer(t", "one = SFTTrainer(t"
    )
    load = f"model = AutoModelForCausalLM.from_pretrained(get_last_checkpoint('{loaded}'))\n"
    return {"train.py": f"{text}one.train()\n{load}{made.format(second)}{then}\n"}


TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script("out"),
            "train.py",
            TRL,
            says="the model begins with the weights of the run's own checkpoint",
        ),
        Bad(_script("out", name="'out/checkpoint-40'"), "train.py", TRL, says="own checkpoint"),
        Bad(_stages("sft", "out", "out"), "train.py", TRL, says="run's own checkpoint"),
        Good(_stages("sft", "out", "sft"), "train.py", TRL),
        Good(_stages("out", "out", "out"), "train.py", TRL),
        Good(_stages("sft", "out", "out", "two.evaluate()"), "train.py", TRL),
        Good(_script("sft-before"), "train.py", TRL),
        Good(_script("out", "train(resume_from_checkpoint=last)"), "train.py", TRL),
        Good(_script("out", name="'org/m'"), "train.py", TRL),
    ),
)
