"""Several GPUs are visible, but there is no launcher.

If you start the script as `python train.py`, the trainer uses all GPUs in one process with
DataParallel: batches are larger than the arguments by the number of GPUs, GPUs wait for one
another, and colocated vLLM uses only the first GPU.

Remedy: start it with `accelerate launch` or `torchrun`, one process for each GPU; or use one GPU:
`CUDA_VISIBLE_DEVICES=0 python train.py`.

Versions: every transformers with `TrainingArguments.n_gpu`. The GPUs are those of this machine.

Seen: read in transformers 5.23.0 (`Trainer._wrap_model`); not tested on a machine with several
GPUs.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.hardware import COUNT, visible_count
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if not run.by_class or (run.processes and not run.processes_assumed):
        raise NotConcerned("a launcher is named, or the command of TRL starts the processes")
    count = facts[visible_count]
    if count > 1:
        yield Finding(
            run.place(),
            f"{count} GPUs are visible here: started as `python …`, one process trains on all of "
            "them with DataParallel",
        )


SCRIPT = """from trl import SFTConfig, SFTTrainer
trainer = SFTTrainer("model", args=SFTConfig(output_dir="out"), train_dataset=rows)
trainer.train()
"""
FILES = {**candidate(RUN, TOKENIZER, CONFIG), "train.py": SCRIPT}
RULE = Rule(
    doc=__doc__,
    severity="note",
    check=check,
    examples=(
        Bad(
            FILES,
            target="train.py",
            versions={COUNT: "2"},
            says="2 GPUs are visible here: started as `python …`, one process trains on all of",
        ),
        Good(FILES, target="train.py", versions={COUNT: "1"}),
        Good(FILES, versions={COUNT: "2"}),
    ),
)
