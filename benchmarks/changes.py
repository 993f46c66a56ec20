"""What is slightly wrong with a candidate: changes to a healthy draft, and words that name them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from drafts import Draft
from drawn import text

Edit: TypeAlias = Callable[[Draft], tuple[str, ...]]
"""Makes the change; gives the words of which one names the cause, none where it does not fit."""

ONLINE = ("grpo", "rloo", "ppo")


@dataclass(frozen=True)
class Change:
    """`silent` is a fault that trains on the wrong thing: an error without a death is right."""

    name: str
    edit: Edit
    silent: bool = False

    def told(self, words: tuple[str, ...], fault: bool) -> dict[str, Any]:
        """What is kept of it beside the candidate."""
        return {"name": self.name, "words": words, "silent": self.silent, "fault": fault}


def argument(
    key: str, value: Any, *trainers: str, words: tuple[str, ...] = (), silent: bool = False
) -> Change:
    """An argument of run.yaml with a wrong value."""

    def edit(made: Draft) -> tuple[str, ...]:
        if trainers and made.trainer not in trainers:
            return ()
        made.arguments[key] = value
        return (key, *words)

    return Change(f"{key}={json.dumps(value)}", edit, silent)


def several(
    name: str,
    values: dict[str, Any],
    *trainers: str,
    words: tuple[str, ...] = (),
    silent: bool = False,
) -> Change:
    """Arguments of run.yaml that do not go together."""

    def edit(made: Draft) -> tuple[str, ...]:
        if trainers and made.trainer not in trainers:
            return ()
        made.arguments.update(values)
        return (*values, *words)

    return Change(name, edit, silent)


def in_file(
    file: str, key: str, value: Any, silent: bool = False, words: tuple[str, ...] = ()
) -> Change:
    """A wrong value in one of the model's JSON files; None takes the key out."""

    def edit(made: Draft) -> tuple[str, ...]:
        made.files.setdefault(file, {})[key] = value
        return (key, *words)

    return Change(f"{file}: {key}={json.dumps(value)}"[:70], edit, silent)


def misspelt(made: Draft) -> tuple[str, ...]:
    """A key with a letter left out, doubled or swapped."""
    needed = ("dataset_name", "output_dir", "model_name_or_path")
    key = made.source.choice([one for one in made.arguments if one not in needed])
    at = made.source.randrange(1, len(key) - 1)
    wrong = made.source.choice(
        [key[:at] + key[at + 1 :], key[:at] + key[at] + key[at:], key + "s",
         key[: at - 1] + key[at] + key[at - 1] + key[at + 1 :]]
    )  # fmt: skip
    if wrong in made.arguments:
        return ()
    made.arguments = {wrong if one == key else one: v for one, v in made.arguments.items()}
    return (wrong, key)


def wrong_type(made: Draft) -> tuple[str, ...]:
    """A number where there is a text, a text where there is a number, a list, null."""
    skip = ("dataset_name", "model_name_or_path", "report_to", "bf16")
    key = made.source.choice([one for one in made.arguments if one not in skip])
    made.arguments[key] = made.source.choice(
        ["some", "1,5", [1, 2], None, {"a": 1}, -1, 0, "auto", 1.5]
    )
    return (key, str(made.arguments[key]))


def cut_value(made: Draft) -> tuple[str, ...]:
    """A word that one of a few is asked for, with a letter less."""
    words = {"lr_scheduler_type": "cosine", "optim": "adamw_torch", "eval_strategy": "steps",
             "save_strategy": "epoch", "attn_implementation": "eager", "logging_strategy": "steps",
             "hub_strategy": "every_save"}  # fmt: skip
    key = made.source.choice(sorted(words))
    at = made.source.randrange(len(words[key]))
    made.arguments[key] = words[key][:at] + words[key][at + 1 :]
    return (key, made.arguments[key])


def rename_column(made: Draft) -> tuple[str, ...]:
    """A column of all rows under another name."""
    key = made.source.choice(list(made.rows[0]))
    new = made.source.choice([f"{key}s", key.upper(), "question", "instruction", "output"])
    for rows in (made.rows, made.test_rows):
        rows[:] = [{new if one == key else one: v for one, v in row.items()} for row in rows]
    return (key, new)


def null_in_row(made: Draft) -> tuple[str, ...]:
    """One row late in the file has null in a column."""
    key = made.source.choice(list(made.rows[0]))
    made.rows[-1] = {**made.rows[-1], key: None}
    if made.rows_as == "csv":
        made.rows_as = "jsonl"
    return (key, "null", "none")


def empty_rows(made: Draft) -> tuple[str, ...]:
    made.rows = [{key: "" if isinstance(v, str) else v for key, v in r.items()} for r in made.rows]
    return (
        ("empty", "rows", "prompt", "text")
        if isinstance(next(iter(made.rows[0].values())), str)
        else ()
    )


def few_rows(made: Draft) -> tuple[str, ...]:
    made.rows = made.rows[:1]
    made.arguments |= {"dataloader_drop_last": True, "per_device_train_batch_size": 2}
    return ("dataloader_drop_last", "rows", "steps")


def plain_for_model(made: Draft) -> tuple[str, ...]:
    """Conversations, and no chat template."""
    if not made.conversational:
        return ()
    made.files["tokenizer_config.json"]["chat_template"] = None
    return ("chat template", "chat_template")


def system_rows(made: Draft) -> tuple[str, ...]:
    """Conversations that begin with a system message."""
    if not made.conversational:
        return ()
    for rows in (made.rows, made.test_rows):
        for row in rows:
            key = "messages" if "messages" in row else "prompt" if "prompt" in row else "chosen"
            row[key] = [{"role": "system", "content": text(made.source)}, *row[key]]
    return ("system", "template", "user first")


def no_tests(made: Draft) -> tuple[str, ...]:
    made.test_rows = []
    made.arguments |= {"eval_strategy": "steps", "eval_steps": 1}
    return ("test", "eval_strategy", "split")


def template(text: str, silent: bool = False) -> Change:
    """Another chat template."""
    return in_file("tokenizer_config.json", "chat_template", text, silent, ("template",))


def reward(name: str, code: str, *words: str) -> Change:
    """The reward functions' file says something else."""

    def edit(made: Draft) -> tuple[str, ...]:
        if "reward_funcs" not in made.arguments:
            return ()
        made.rewards = f"{code}\n\nwords = length\n"
        return ("reward", *words)

    return Change(f"rewards: {name}", edit)


def reward_name(made: Draft) -> tuple[str, ...]:
    if "reward_funcs" not in made.arguments:
        return ()
    wrong = made.source.choice(["my_rewards.lenght", "my_reward.length", "accuracy", "length"])
    made.arguments["reward_funcs"] = [wrong]
    return ("reward_funcs", wrong)


def short_weights(made: Draft) -> tuple[str, ...]:
    if "reward_funcs" not in made.arguments:
        return ()
    made.arguments["reward_funcs"] = ["my_rewards.length", "my_rewards.words"]
    made.arguments["reward_weights"] = made.source.choice([[1.0], [1.0, 0.5, 0.2]])
    return ("reward_weights",)


def architecture(name: str, *words: str, silent: bool = False) -> Change:
    """The policy is a model of another kind."""

    def edit(made: Draft) -> tuple[str, ...]:
        made.architecture = name
        return (name, *words)

    return Change(f"policy is {name}", edit, silent)


def adapter(made: Draft) -> tuple[str, ...]:
    made.architecture = made.source.choice(["llama", "qwen2"])
    made.adapter = True
    return ("adapter",)


def rows(name: str, change: Callable[[Any, int], Any], *words: str) -> Change:
    """All rows for training changed; `change` gives None where a row is of another kind."""

    def edit(made: Draft) -> tuple[str, ...]:
        new = [change(row, at) for at, row in enumerate(made.rows)]
        if None in new:
            return ()
        made.rows = new
        made.rows_as = "jsonl"
        return ("row", *words)

    return Change(f"rows: {name}", edit)


def appended(file: str, written: str, *words: str) -> Change:
    """Text at the end of a file."""

    def edit(made: Draft) -> tuple[str, ...]:
        made.texts[file] = written
        return (file.rpartition("/")[2], *words)

    return Change(f"{file} + {written.strip()[:30]}", edit)


def removed(file: str, *words: str) -> Change:
    def edit(made: Draft) -> tuple[str, ...]:
        made.removed.append(file)
        return (file.rpartition("/")[2], *words)

    return Change(f"{file} removed", edit)
