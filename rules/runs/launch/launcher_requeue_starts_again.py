"""A job that is queued again trains from its first step.

Slurm starts a job with `--requeue` once more after a preemption or a failed node, and so does
SkyPilot with `job_recovery`. The script does not look for a checkpoint: it begins at the first
step, and what was trained before is lost. A job that is longer than its time limit never ends.

Remedy: pass the last checkpoint, if there is one: `trainer.train(resume_from_checkpoint=
get_last_checkpoint(output_dir))`, with `get_last_checkpoint` of `transformers.trainer_utils`.

Versions: every release. Not reported: `trl` itself, scripts and launch files that name `resume` or
a checkpoint or give `train()` an argument (but `args.resume_from_checkpoint`, if it is not set),
and runs of fewer than 200 steps.

Seen: reproduced with SFT of trl 1.16.0: started again in the same folder, it trains all its steps
once more beside its last checkpoint. Not run with Slurm.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.queued_again import starts_again
from trl_doctor.facts.rule import Bad, Files, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if again := facts[starts_again]:
        yield Finding(
            again.place,
            f"{again.option} starts the job again, and {again.script} does not resume: it trains "
            "from the first step",
            remedy="pass the last checkpoint to trainer.train(resume_from_checkpoint=…)",
        )


SCRIPT = (
    "from trl import SFTConfig, SFTTrainer\n"
    "trainer = SFTTrainer('org/m', args=SFTConfig('out'{}))\ntrainer.train({})\n"
)
SKY = (
    "resources:\n  accelerators: H100:8\n  use_spot: true\n  job_recovery: FAILOVER\n"
    "run: python train.py\n"
)


def _job(
    directive: str, given: str = "", options: str = "", line: str = "python train.py"
) -> dict[str, Json]:
    text = f"#!/bin/bash\n#SBATCH {directive}\n{line}\n"
    return {"job.sbatch": text, "train.py": SCRIPT.format(options, given)}


def _parsed(directive: str, of: str = "args.resume_from_checkpoint", **more: Json) -> Files:
    """A script that reads a run file, and hands on its checkpoint."""
    code = (
        "from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser\n"
        "args, model = TrlParser((SFTConfig, ModelConfig)).parse_args_and_config()\n"
        "trainer = SFTTrainer(model.model_name_or_path, args=args)\n"
        f"trainer.train(resume_from_checkpoint={of})\n"
    )
    text = f"#!/bin/bash\n#SBATCH {directive}\npython train.py --config run.json\n"
    run: dict[str, Json] = {"model_name_or_path": "org/m", "output_dir": "out", **more}
    return {"job.sbatch": text, "train.py": code, "run.json": run}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_job("--requeue"), "job.sbatch", says="--requeue starts the job again, and train.py"),
        Bad(
            {"task.yaml": SKY, "train.py": SCRIPT.format("", "")},
            "task.yaml",
            says="job_recovery starts the job again, and train.py does not resume",
        ),
        Bad(_parsed("--requeue"), "job.sbatch", says="--requeue starts the job again"),
        Good(_parsed("--requeue", resume_from_checkpoint=True), "job.sbatch"),
        Good(_parsed("--requeue", of="last"), "job.sbatch"),
        Good(_job("--requeue", "resume_from_checkpoint=True"), "job.sbatch"),
        Good(_job("--requeue", "", ", max_steps=100"), "job.sbatch"),
        Good(_job("--requeue", line="python train.py $RESUME"), "job.sbatch"),
        Good(_job("--requeue", "**more"), "job.sbatch"),
        Good(_job("--no-requeue"), "job.sbatch"),
        Good(_job("-N 1"), "job.sbatch"),
    ),
)
