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

    def edit(draft: Draft) -> tuple[str, ...]:
        if trainers and draft.trainer not in trainers:
            return ()
        draft.arguments[key] = value
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

    def edit(draft: Draft) -> tuple[str, ...]:
        if trainers and draft.trainer not in trainers:
            return ()
        draft.arguments.update(values)
        return (*values, *words)

    return Change(name, edit, silent)


def in_file(
    file: str, key: str, value: Any, silent: bool = False, words: tuple[str, ...] = ()
) -> Change:
    """A wrong value in one of the model's JSON files; None takes the key out."""

    def edit(draft: Draft) -> tuple[str, ...]:
        draft.files.setdefault(file, {})[key] = value
        return (key, *words)

    return Change(f"{file}: {key}={json.dumps(value)}"[:70], edit, silent)


def misspelt(draft: Draft) -> tuple[str, ...]:
    """A key with a letter left out, doubled or swapped."""
    needed = ("dataset_name", "output_dir", "model_name_or_path")
    key = draft.source.choice([name for name in draft.arguments if name not in needed])
    at = draft.source.randrange(1, len(key) - 1)
    wrong = draft.source.choice(
        [key[:at] + key[at + 1 :], key[:at] + key[at] + key[at:], key + "s",
         key[: at - 1] + key[at] + key[at - 1] + key[at + 1 :]]
    )  # fmt: skip
    if wrong in draft.arguments:
        return ()
    draft.arguments = {wrong if name == key else name: v for name, v in draft.arguments.items()}
    return (wrong, key)


def wrong_type(draft: Draft) -> tuple[str, ...]:
    """A number where there is a text, a text where there is a number, a list, null."""
    skip = ("dataset_name", "model_name_or_path", "report_to", "bf16")
    key = draft.source.choice([name for name in draft.arguments if name not in skip])
    draft.arguments[key] = draft.source.choice(
        ["some", "1,5", [1, 2], None, {"a": 1}, -1, 0, "auto", 1.5]
    )
    return (key, str(draft.arguments[key]))


def cut_value(draft: Draft) -> tuple[str, ...]:
    """A word that one of a few is asked for, with a letter less."""
    words = {"lr_scheduler_type": "cosine", "optim": "adamw_torch", "eval_strategy": "steps",
             "save_strategy": "epoch", "attn_implementation": "eager", "logging_strategy": "steps",
             "hub_strategy": "every_save"}  # fmt: skip
    key = draft.source.choice(sorted(words))
    at = draft.source.randrange(len(words[key]))
    draft.arguments[key] = words[key][:at] + words[key][at + 1 :]
    return (key, draft.arguments[key])


def rename_column(draft: Draft) -> tuple[str, ...]:
    """A column of all rows under another name."""
    key = draft.source.choice(list(draft.rows[0]))
    new = draft.source.choice([f"{key}s", key.upper(), "question", "instruction", "output"])
    for rows in (draft.rows, draft.test_rows):
        rows[:] = [{new if name == key else name: v for name, v in row.items()} for row in rows]
    return (key, new)


def null_in_row(draft: Draft) -> tuple[str, ...]:
    """One row late in the file has null in a column."""
    key = draft.source.choice(list(draft.rows[0]))
    draft.rows[-1] = {**draft.rows[-1], key: None}
    if draft.rows_as == "csv":
        draft.rows_as = "jsonl"
    return (key, "null", "none")


def empty_rows(draft: Draft) -> tuple[str, ...]:
    draft.rows = [
        {key: "" if isinstance(v, str) else v for key, v in r.items()} for r in draft.rows
    ]
    return (
        ("empty", "rows", "prompt", "text")
        if isinstance(next(iter(draft.rows[0].values())), str)
        else ()
    )


def few_rows(draft: Draft) -> tuple[str, ...]:
    draft.rows = draft.rows[:1]
    draft.arguments |= {"dataloader_drop_last": True, "per_device_train_batch_size": 2}
    return ("dataloader_drop_last", "rows", "steps")


def plain_for_model(draft: Draft) -> tuple[str, ...]:
    """Conversations, and no chat template."""
    if not draft.conversational:
        return ()
    draft.files["tokenizer_config.json"]["chat_template"] = None
    return ("chat template", "chat_template")


def system_rows(draft: Draft) -> tuple[str, ...]:
    """Conversations that begin with a system message."""
    if not draft.conversational:
        return ()
    for rows in (draft.rows, draft.test_rows):
        for row in rows:
            key = "messages" if "messages" in row else "prompt" if "prompt" in row else "chosen"
            row[key] = [{"role": "system", "content": text(draft.source)}, *row[key]]
    return ("system", "template", "user first")


def no_tests(draft: Draft) -> tuple[str, ...]:
    draft.test_rows = []
    draft.arguments |= {"eval_strategy": "steps", "eval_steps": 1}
    return ("test", "eval_strategy", "split")


def template(text: str, silent: bool = False) -> Change:
    """Another chat template."""
    return in_file("tokenizer_config.json", "chat_template", text, silent, ("template",))


def reward(name: str, code: str, *words: str) -> Change:
    """The reward functions' file says something else."""

    def edit(draft: Draft) -> tuple[str, ...]:
        if "reward_funcs" not in draft.arguments:
            return ()
        draft.rewards = f"{code}\n\nwords = length\n"
        return ("reward", *words)

    return Change(f"rewards: {name}", edit)


def reward_name(draft: Draft) -> tuple[str, ...]:
    if "reward_funcs" not in draft.arguments:
        return ()
    wrong = draft.source.choice(["my_rewards.lenght", "my_reward.length", "accuracy", "length"])
    draft.arguments["reward_funcs"] = [wrong]
    return ("reward_funcs", wrong)


def short_weights(draft: Draft) -> tuple[str, ...]:
    if "reward_funcs" not in draft.arguments:
        return ()
    draft.arguments["reward_funcs"] = ["my_rewards.length", "my_rewards.words"]
    draft.arguments["reward_weights"] = draft.source.choice([[1.0], [1.0, 0.5, 0.2]])
    return ("reward_weights",)


def architecture(name: str, *words: str, silent: bool = False) -> Change:
    """The policy is a model of another kind."""

    def edit(draft: Draft) -> tuple[str, ...]:
        draft.architecture = name
        return (name, *words)

    return Change(f"policy is {name}", edit, silent)


def adapter(draft: Draft) -> tuple[str, ...]:
    draft.architecture = draft.source.choice(["llama", "qwen2"])
    draft.adapter = True
    return ("adapter",)


def rows(name: str, change: Callable[[Any, int], Any], *words: str) -> Change:
    """All rows for training changed; `change` gives None where a row is of another kind."""

    def edit(draft: Draft) -> tuple[str, ...]:
        new = [change(row, at) for at, row in enumerate(draft.rows)]
        if None in new:
            return ()
        draft.rows = new
        draft.rows_as = "jsonl"
        return ("row", *words)

    return Change(f"rows: {name}", edit)


def appended(file: str, written: str, *words: str) -> Change:
    """Text at the end of a file."""

    def edit(draft: Draft) -> tuple[str, ...]:
        draft.texts[file] = written
        return (file.rpartition("/")[2], *words)

    return Change(f"{file} + {written.strip()[:30]}", edit)


def removed(file: str, *words: str) -> Change:
    def edit(draft: Draft) -> tuple[str, ...]:
        draft.removed.append(file)
        return (file.rpartition("/")[2], *words)

    return Change(f"{file} removed", edit)
