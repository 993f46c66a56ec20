"""The run reports to Weights & Biases, and its pod has no key.

`report_to="wandb"` logs in when the training starts. A pod has no terminal to ask at: "No API key
configured". By then the model is loaded on each GPU.

Remedy: give the container `WANDB_API_KEY` from a Secret, or set `WANDB_MODE` to `offline`, or
`report_to` to `none`.

Versions: every release. Reported is only a manifest that gives its container another key by name
(`secretKeyRef`), and says nothing of `WANDB_`, `envFrom`, `netrc` or volumes of Secrets.

Seen: reproduced with wandb 0.31.0, an empty home folder and no terminal: "UsageError: No API key
configured. Use `wandb login` to log in."
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_of_line
from trl_doctor.facts.launch.logins import without_key
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if facts[without_key]:
        yield Finding(
            place_of_line(facts.run.target),
            "report_to is wandb, and the container has no WANDB_API_KEY: the login fails",
            remedy="give it WANDB_API_KEY from a Secret, or set WANDB_MODE to offline",
        )


def _job(env: str, report: str = "'wandb'", code: str = "", **more: Json) -> dict[str, Json]:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n"
        f"    image: own\n    command: [python, train.py]\n{env}"
    )
    script = (
        f"{code}from trl import SFTConfig, SFTTrainer\n"
        f"SFTTrainer('org/m', args=SFTConfig('out', report_to={report}))\n"
    )
    return {"job.yaml": text, "train.py": script, **more}


TOKEN = "    env:\n    - {name: HF_TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_job(TOKEN), "job.yaml", says="report_to is wandb, and the container has no WANDB_API"),
        Bad(_job(TOKEN, "['tensorboard', 'wandb']"), "job.yaml", says="report_to is wandb"),
        Good(_job(f"{TOKEN}    - {{name: WANDB_API_KEY, value: a}}\n"), "job.yaml"),
        Good(_job(f"{TOKEN}    - {{name: WANDB_MODE, value: offline}}\n"), "job.yaml"),
        Good(_job(f"{TOKEN}    envFrom: [{{secretRef: {{name: keys}}}}]\n"), "job.yaml"),
        Good(_job(f"{TOKEN}  volumes: [{{name: n, secret: {{secretName: n}}}}]\n"), "job.yaml"),
        Good(_job(TOKEN.replace("    env", "    args: [wandb login $K]\n    env")), "job.yaml"),
        Good(_job(""), "job.yaml"),
        Good(_job(TOKEN, "'none'"), "job.yaml"),
        Good(_job(TOKEN, code="import wandb\nwandb.login(key=open('/k').read())\n"), "job.yaml"),
        Good(_job(TOKEN, Dockerfile="FROM a\nENV WANDB_MODE=offline\n"), "job.yaml"),
    ),
)
