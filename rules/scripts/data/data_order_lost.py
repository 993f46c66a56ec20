"""The rows are sorted, and the trainer shuffles them.

The script sorts its rows, for example from easy to hard. The trainer then draws the rows in a
random order, so that the sorting has no effect. There is no warning.

Also found: a list or a table that is sorted just before it becomes a data set, by a key that tells
how hard a row is (`difficulty`, `level`, `pass_rate`), and tiers (`easy`, `hard`) that are joined
where a name or a comment says that this is a curriculum. Rows that are sorted by their length or
their id are left alone: that has other reasons. So are rows whose comment says that they are sorted
to get the same run again, and lists of which the script reads the first or the last rows.

Remedy: set `shuffle_dataset=False` for GRPO (from trl 0.17.0 on) and RLOO (from 0.22.0 on). For the
other trainers set `train_sampling_strategy="sequential"`; before transformers 5.0 return a
`torch.utils.data.SequentialSampler` from the method `_get_train_sampler` of a class of your own.

Versions: every trl. Not reported: rows that are selected, split or filtered after they are sorted,
KTO (it reads the rows in their order), streams, data sets that are sorted by a column with texts or
names, and classes and trainers with a sampler of their own.

Seen: reproduced with GRPO of trl 1.16.0 on rows sorted by their level: the first prompts have the
levels 3, 2, 4, 2, 1; with `shuffle_dataset=False` they have 1, 1, 1, 1, 1. trl#2998: trl 0.15.2.
With SFT of trl 1.16.0 and 0.24.0 and a list that is sorted by its difficulty: the first rows are
hard ones, too.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer
from trl_doctor.facts.script.passed import chain, passed
from trl_doctor.facts.script.syntax.ordered_rows import is_sorted, order_of_rows

from ..._recorded.scripts import script

GENERATES = ("grpo", "rloo")
SHUFFLES = ("sft", "dpo", "reward", "orpo", "cpo", *GENERATES)
KEEPS = ("map", "rename_column", "rename_columns", "remove_columns", "select_columns", "cast",
         "with_format", "cast_column", "add_column")  # fmt: skip
"""Methods after which the rows have the same order."""

STRATEGY, SHUFFLE = "train_sampling_strategy", "shuffle_dataset"
SAMPLERS = ("_get_train_sampler", "get_train_dataloader")


def check(facts: Facts) -> Iterator[Finding]:
    values, name, run = passed(facts), known_trainer(facts), facts.run
    if name not in SHUFFLES:
        raise NotConcerned("the trainer does not shuffle its rows")
    if name in GENERATES and SHUFFLE in run.arguments and not run.flag(SHUFFLE):
        raise NotConcerned("the run keeps the order of its rows")
    if run.arguments.get(STRATEGY, "random") != "random" or run.flag("group_by_length"):
        raise NotConcerned("the run draws its rows in another way")
    if values.derived and any(method in values.methods for method in SAMPLERS):
        raise NotConcerned("the script's own class draws the rows")
    if any(deed.name == f"{method} =" for deed in values.deeds for method in SAMPLERS):
        raise NotConcerned("the script gives the trainer a sampler of its own")
    for call in chain(values.given("train_dataset")):
        if is_sorted(facts, call):
            yield Finding(
                values.places["train_dataset"],
                f"the script sorts the rows, and {trainer(facts)} shuffles them again",
                remedy=_remedy(facts, name),
            )
        if ordered := order_of_rows(facts, call):
            yield Finding(
                values.places["train_dataset"],
                f"the script puts the rows in an order ({ordered}), and {trainer(facts)} shuffles "
                "them again",
                remedy=_remedy(facts, name),
            )
        if call.short not in KEEPS:
            return


def _remedy(facts: Facts, name: str) -> str:
    """What keeps the order in the installed releases."""
    fields = known_to_trl(facts)[1].fields
    if name in GENERATES:
        return (
            f"set {SHUFFLE}=False"
            if SHUFFLE in fields
            else f"upgrade trl to a release with {SHUFFLE}, and set it to False"
        )
    if STRATEGY in fields:
        return f'set {STRATEGY}="sequential"'
    return (
        "return torch.utils.data.SequentialSampler(self.train_dataset) from the method "
        "_get_train_sampler of a class of your own"
    )


def _rows(steps: str, trainer_: str = "SFT", config: str = "") -> dict[str, str]:
    more = ", reward_funcs=len" if trainer_ == "GRPO" else ""
    return script(trainer_, f"model='org/m'{more}", config=config, before=f"rows = rows{steps}\n")


def _made(*lines: str, trainer_: str = "SFT", config: str = "") -> dict[str, str]:
    more = ", reward_funcs=len" if trainer_ == "GRPO" else ""
    made = "from datasets import Dataset, concatenate_datasets\nitems = list(rows)\n"
    before = made + "".join(f"{line}\n" for line in lines)
    return script(trainer_, f"model='org/m'{more}", config=config, before=before)


TRL = {"trl": "1.16.0"}
BY_LEVEL = "items = sorted(items, key=lambda row: row['difficulty'])"
LIST = "rows = Dataset.from_list(items)"
TIERS = "rows = concatenate_datasets([easy, hard])"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _rows(".sort('level')", "GRPO"),
            "train.py",
            versions=TRL,
            says="the script sorts the rows, and GRPOTrainer of trl 1.16.0 shuffles them again",
        ),
        Bad(_rows(".sort('level').map(str)"), "train.py", versions=TRL, says="SFTTrainer of trl"),
        Good(_rows(".sort('level')", "GRPO", f"{SHUFFLE}=False"), "train.py", versions=TRL),
        Good(_rows(".sort('score').select(range(9))"), "train.py", versions=TRL),
        Good(_rows(".sort('level')", config=f"{STRATEGY}='sequential'"), "train.py", versions=TRL),
        Good(_rows(".sort('level')", "KTO"), "train.py", versions=TRL),
        Good(_rows(".map(str)"), "train.py", versions=TRL),
        Bad(
            _made(BY_LEVEL, LIST),
            "train.py",
            versions=TRL,
            says="puts the rows in an order (sorted(items, key=lambda row: row['difficulty']))",
        ),
        Bad(
            _made("items.sort(key=len)  # curriculum", LIST, trainer_="DPO"),
            "train.py",
            versions=TRL,
            says="items.sort(key=len)",
        ),
        Bad(
            _made(
                BY_LEVEL,
                "rows = Dataset.from_dict({'prompt': [row['q'] for row in items]})",
                trainer_="GRPO",
            ),
            "train.py",
            versions=TRL,
            says="GRPOTrainer of trl 1.16.0 shuffles them",
        ),
        Bad(
            _made("easy = hard = rows", "# easy first, then hard", TIERS),
            "train.py",
            versions=TRL,
            says="[easy, hard]",
        ),
        Bad(
            _made(
                "table = rows.to_pandas().sort_values('level').reset_index(drop=True)",
                "rows = Dataset.from_pandas(table)",
            ),
            "train.py",
            versions=TRL,
            says="sort_values('level')), and SFTTrainer",
        ),
        Good(_made("easy = hard = rows", "# all rows", TIERS), "train.py", versions=TRL),
        Good(_made("items.sort(key=len)", LIST), "train.py", versions=TRL),
        Bad(
            _made(
                "items = items.sort_values('level')", "rows = Dataset.from_pandas(items[['text']])"
            ),
            "train.py",
            versions=TRL,
            says="sort_values('level')), and SFTTrainer",
        ),
        Good(_made("# the same order each time", BY_LEVEL, LIST), "train.py", versions=TRL),
        Good(_made(BY_LEVEL, "print(items[0])", LIST), "train.py", versions=TRL),
        Good(_rows(".sort('row_id')"), "train.py", versions=TRL),
        Good(_rows(".sort('level')  # deterministic"), "train.py", versions=TRL),
        Good(_made(BY_LEVEL, "items = items[:9]", LIST), "train.py", versions=TRL),
        Good(_made(BY_LEVEL, "random.shuffle(items)", LIST), "train.py", versions=TRL),
        Good(_made(BY_LEVEL, f"{LIST}.shuffle(seed=1)"), "train.py", versions=TRL),
    ),
)
