"""The launch line ends early, and options below it are lost.

A line that ends in a backslash goes on in the next line. A comment between such lines, a blank
behind the backslash, or a missing backslash ends the command. The shell starts the training with
the options above, and takes the first option below for a command of its own. The training runs to
its end with default values; the shell's `command not found` comes after it, or is lost in the log.

Remedy: put the comment above the command, and end each line of it with a backslash and nothing
behind.

Versions: any shell.

Seen: reproduced with SFT of trl 1.16.0: with a comment above `--learning_rate 1e-5` the run trained
with the default of 2e-5 and for three epochs in place of one.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.facts.rule import Bad, Good, Rule

REMEDIES = {
    "a comment": "move the comment above the command",
    "a blank behind the backslash": "remove the blank behind the backslash of the line above",
    "no backslash": "end the line above with a backslash",
}


def check(facts: Facts) -> Iterator[Finding]:
    launch, launcher = facts.run.target.launch, facts.run.target.launched_by
    if launch is None or launcher is None:
        raise NotConcerned("no launch file starts this run")
    if not launch.cut:
        return
    option = launch.cut[0]
    started = launch.script or f"trl {launch.command}"
    lost = [word.text for word in launch.cut if word.text.startswith("--")]
    yield Finding(
        place_on_line(facts.run.target, option.line, option.column),
        f"{launch.cut_by} ends the command of {launch.shown}: {started} does not get "
        f"{option.text} and what follows it",
        evidence=(f"lost: {', '.join(lost)}",) if len(lost) > 1 else (),
        remedy=REMEDIES[launch.cut_by],
    )


SCRIPT = (
    "from transformers import HfArgumentParser\nfrom trl import SFTConfig, SFTTrainer\n"
    "(args,) = HfArgumentParser(SFTConfig).parse_args_into_dataclasses()\n"
    "SFTTrainer('org/m', args=args)\n"
)


def _job(*lines: str) -> dict[str, Json]:
    return {"job.sh": "#!/bin/bash\n" + "\n".join(lines) + "\n", "train.py": SCRIPT}


START, RATE, EPOCHS = (
    "python train.py --output_dir out \\",
    "  --learning_rate 1e-5 \\",
    "  --num_train_epochs 1",
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _job(START, "  # --learning_rate 3e-5 \\", RATE, EPOCHS),
            "job.sh",
            says="a comment ends the command of line 2: train.py does not get --learning_rate",
        ),
        Bad(_job(START + " ", RATE, EPOCHS), "job.sh", says="a blank behind the backslash ends"),
        Bad(_job(START, RATE[:-2], EPOCHS), "job.sh", says="does not get --num_train_epochs"),
        Bad(
            _job("trl sft --output_dir out \\", RATE + " ", EPOCHS),
            "job.sh",
            says="trl sft does not get --num_train_epochs",
        ),
        Good(_job("# --learning_rate 3e-5 \\", START, RATE, EPOCHS), "job.sh"),
        Good(_job(START, RATE, EPOCHS + "  # one is enough", "echo --done"), "job.sh"),
        Good(_job('EXTRA="--bf16 true"', START, RATE, "  $EXTRA"), "job.sh"),
        Good(_job("ARGS=(", RATE[:-2], EPOCHS, ")", 'python train.py "${ARGS[@]}"'), "job.sh"),
    ),
)
