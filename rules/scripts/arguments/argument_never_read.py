"""Nothing in the script reads one of its settings.

The script has a field, an option or a constant of its own for a setting: `use_lora`, `lora_r`,
`learning_rate`, `seed`. It is never read again, so it changes nothing: the run trains with other
values, without a warning. A run with `--use_lora` then trains all weights.

The rule reports settings that get a value from a command line, its file or a call. It reports a
default, a constant or a key of a dictionary only if its name is an argument of TRL, or a usual name
for one, and the run trains with another value. A dictionary, or what a call passes to `**kwargs`,
is followed through the script's own functions, each of which has to read its keys by name. A field
that the script adds to a config of TRL is a setting, too: the trainer reads only those that its own
config has.

Remedy: pass the setting to the model, the trainer or its config. Remove it if nothing needs it.

Versions: any. Not reported are objects that the script passes as a whole to a library
(`wandb.init(config=args)`), and scripts that may read all names at once (`vars(args)`).

Seen: HelloAgents#56, trl#4887, Qwen-VL-Series-Finetune#260 (`max_seq_length` of the script's own
config, with trl 1.16.0: rows of 200 tokens are trained whole, though it is 64), HelloAgents#108
(GRPO with trl 1.16.0 trains with 5e-5, though its caller gives 1e-6). Reproduced with SFT
of trl 1.16.0: with `use_lora=True` 100 % of the weights are trained; after the correction less than
10 %.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import listed
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.library.module import Field
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_script import Unread
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.unread_settings import MASKS

LAUNCHED = frozenset({"local_rank", "deepspeed", "deepspeed_config"})
"""Options that a launcher adds to the command line, and that libraries read elsewhere."""

USUAL = {
    "use_lora": "use_peft", "use_qlora": "use_peft", "lora_rank": "lora_r",
    "use_4bit": "load_in_4bit", "use_8bit": "load_in_8bit",
    "max_seq_length": "max_length", "max_seq_len": "max_length",
    "seq_length": "max_length", "seq_len": "max_length", "sequence_length": "max_length",
    "batch_size": "per_device_train_batch_size", "lr": "learning_rate",
    "epochs": "num_train_epochs", "num_epochs": "num_train_epochs",
}  # fmt: skip
"""Usual names of settings that TRL calls otherwise."""


def check(facts: Facts) -> Iterator[Finding]:
    passed(facts)
    if not facts.run.script.unread_settings:
        raise NotConcerned("the script reads all its settings, or has none")
    fields = known_to_trl(facts)[1].fields
    unread = [
        setting for setting in facts.run.script.unread_settings if _matters(facts, setting, fields)
    ]
    if unread:
        settings = listed([f"{setting.name} ({setting.value})" for setting in unread])
        yield Finding(
            unread[0].place,
            f"nothing in the script reads {settings}: "
            f"{'it has' if len(unread) == 1 else 'they have'} "
            "no effect",
        )


def _matters(facts: Facts, setting: Unread, fields: Mapping[str, Field]) -> bool:
    if setting.name in LAUNCHED or setting.name.startswith("_"):
        return False
    if setting.derived and setting.name in fields:
        return False
    if setting.stated:
        return True
    if setting.name in MASKS:
        return setting.value is True and _learns_questions(facts)
    name = USUAL.get(setting.name.lower(), setting.name.lower())
    if name not in fields or setting.value in (None, False, "", [], {}):
        return False
    try:
        trained_with = facts.run.arguments.get(name, _default(fields[name]))
    except (Unavailable, ValueError, SyntaxError):
        return False
    return not _same(trained_with, setting.value)


def _learns_questions(facts: Facts) -> bool:
    """Whether SFT learns whole texts, as far as the rows are known, with the collator of TRL."""
    given = facts.run.script.passed
    if known_trainer(facts) != "sft" or given is None:
        return False
    try:
        losses = [facts.run.flag(f"{part}_only_loss") for part in ("assistant", "completion")]
        masked = given.has("data_collator") or any(losses)
    except Unavailable:
        return False
    parted = {"completion", "labels", "input_ids"}
    return not masked and not any(parted & row.keys() for row in facts.get(own_rows) or ())


def _default(field: Field) -> Json:
    value: Json = literal_eval(field.default or "None")
    return value


def _same(left: Json, right: Json) -> bool:
    try:
        return float(str(left)) == float(str(right))
    except ValueError:
        return left == right


def _files(before: str, config: str = "", after: str = "") -> dict[str, str]:
    text = (
        "from datasets import load_dataset\nfrom trl import SFTConfig, SFTTrainer\n"
        f"{before}\nrows = load_dataset('org/rows', split='train')\n"
        f"SFTTrainer('org/m', args=SFTConfig('out', {config}), train_dataset=rows){after}\n"
    )
    return {"train.py": text}


FIELDS = """from dataclasses import dataclass
@dataclass
class Settings:
    learning_rate: float = 1e-4
    use_lora: bool = False
    lora_r: int = 8
"""
OPTIONS = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--use_lora', action='store_true')
parser.add_argument('--learning_rate', type=float, default=1e-4)
"""
RUN = """
def run(given):
    rows = load_dataset('json', data_files='rows.jsonl', split='train')
    args = SFTConfig(given['out'], max_steps=given.get('steps', 9){more})
    SFTTrainer('org/m', args=args, train_dataset=rows).train()
class Tool:
    def __init__(self, config):
        self.config = config
    def train(self):
        run(self.config)
"""
KEYS = "{'out': 'out', 'steps': 1, 'learning_rate': 1e-6, 'train_on_responses_only': True, 'n': 1}"
TEXTS = "".join(f'{{"text": "{n} and {n} is {2 * n}."}}\n' for n in range(3))
PARTED = "".join(f'{{"prompt": "{n}", "completion": "{2 * n}."}}\n' for n in range(3))


def _keys(more: str = "", call: str = "Tool(CONFIG).train()", rows: str = TEXTS) -> dict[str, str]:
    text = f"from datasets import load_dataset\nfrom trl import SFTConfig, SFTTrainer\n{RUN}"
    text = f"{text.replace('{more}', more)}CONFIG = {KEYS}\n{call}\n"
    return {"train.py": text, "rows.jsonl": rows}


ALL = ", learning_rate=given['learning_rate']"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _files(f"{FIELDS}mine = Settings(use_lora=True)", "learning_rate=mine.learning_rate"),
            "train.py",
            says="nothing in the script reads use_lora (True) and lora_r (8): they have no effect",
        ),
        Bad(
            _files(f"{OPTIONS}args = parser.parse_args(['--use_lora'])", "learning_rate=1e-4"),
            "train.py",
            says="nothing in the script reads use_lora (True): it has no effect",
        ),
        Bad(
            _files(
                "class Arguments(SFTConfig):\n    max_seq_length: int = 4096\n    seed: int = 7\n"
                "args = Arguments('out')"
            ),
            "train.py",
            says="nothing in the script reads max_seq_length (4096): it has no effect",
        ),
        Bad(
            _files("class CFG:\n    lr = 1e-5\n    seed = 42", "learning_rate=5e-5"),
            "train.py",
            says="nothing in the script reads lr (1e-05): it has no effect",
        ),
        Bad(
            _keys(),
            "train.py",
            says="reads learning_rate (1e-06) and train_on_responses_only (True): they have no",
        ),
        Bad(_keys(rows=PARTED), "train.py", says="nothing in the script reads learning_rate (1e"),
        Bad(
            _keys(rows=PARTED, call=f"ALL = {{'tool': 1, 'run': {KEYS}, 'n': 2}}\n"
                  "print(ALL['tool'], ALL['n'])\nTool(ALL['run']).train()"),
            "train.py",
            says="nothing in the script reads learning_rate (1e-06)",
        ),
        Bad(
            _keys(rows=PARTED, call="def begin(**all): run({'out': all['out'], 'steps': "
                  "all.get('steps', 2), 'n': 1})\nbegin(out='o', steps=1, learning_rate=1e-6)"),
            "train.py",
            says="nothing in the script reads learning_rate (1e-06): it has no effect",
        ),
        Good(_keys(ALL, rows=PARTED), "train.py"),
        Good(_keys(", learning_rate=1e-6", rows=PARTED), "train.py"),
        Good(_keys(call="Tool(CONFIG).train()\nprint({**CONFIG})"), "train.py"),
        Good(_keys(call="for key in CONFIG:\n    print(key)\nTool(CONFIG).train()"), "train.py"),
        Good(_files("SEED = 42\nMAX_LENGTH = 512\nNAME = 'x'", "max_length=512"), "train.py"),
        Good(_files(f"{FIELDS}mine = Settings()", "learning_rate=1e-4, lora_r=8"), "train.py"),
        Good(_files(f"{FIELDS}from os import path\nSettings(lora_r=4)", "**vars(x)"), "train.py"),
        Good(
            _files(f"{FIELDS}import wandb\nmine = Settings(lora_r=4)\nwandb.init(config=mine)"),
            "train.py",
        ),
        Good(
            _files(f"{OPTIONS}args = parser.parse_args(['--use_lora'])", "args.learning_rate",
                   "\nprint(args.use_lora)"),
            "train.py",
        ),
    ),
)  # fmt: skip
