"""Short trainings, each with other arguments: `python arguments_real.py TRAINER`, in a folder.

Standard input has the arguments of each training, in JSON. A line of JSON a training says what
became of it: the `error` that ended it, or how much it learnt. The libraries are imported once, and
each training is a fork. With `fields` behind TRAINER it prints the names, kinds and defaults of all
numeric and boolean arguments instead. An environment's interpreter runs it: standard library, and
the libraries under test.
"""

import contextlib
import dataclasses
import json
import math
import os
import signal
import sys

SECONDS = 60
"""What one training may take."""

COMPLETION = 6
"""Tokens of a completion."""


def main():
    """All trainings of one trainer."""
    trainer = sys.argv[1]
    libraries(trainer)
    if sys.argv[2:]:
        print(json.dumps(fields(trainer)))
        return
    for arguments in json.load(sys.stdin):
        print(json.dumps(forked(trainer, arguments)), flush=True)


def libraries(trainer):
    """Import what the trainings need, before the first fork."""
    import datasets  # noqa: F401
    import torch
    import transformers.models.llama.modeling_llama  # noqa: F401

    classes(trainer)
    torch.set_num_threads(1)


def classes(trainer):
    """The classes of a trainer and of its arguments."""
    import trl

    prefix = {"reward": "Reward"}.get(trainer, trainer.upper())
    if not hasattr(trl, f"{prefix}Trainer"):
        import trl.experimental.ppo as trl
    return getattr(trl, f"{prefix}Trainer"), getattr(trl, f"{prefix}Config")


def fields(trainer):
    """Each argument that is a number or a flag: its name, its kinds, its default."""
    triples = []
    for field in dataclasses.fields(classes(trainer)[1]):
        named = getattr(field.type, "__name__", "") if isinstance(field.type, type) else field.type
        kinds = [kind for kind in ("bool", "int", "float") if kind in str(named).split("[")[0]]
        if kinds and isinstance(field.default, (bool, int, float, type(None))):
            triples.append((field.name, kinds, field.default))
    return triples


def forked(trainer, arguments):
    """What became of one training, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        try:
            answer = trained(trainer, arguments)
        except BaseException as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        with os.fdopen(writing, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        written = pipe.read()
    os.waitpid(child, 0)
    return json.loads(written) if written else {"error": f"it was ended after {SECONDS} s"}


def trained(trainer, arguments):
    """Train a small model, and measure it before and after."""
    import torch
    import transformers

    transformers.set_seed(1)
    instance, rows = built(trainer, arguments)
    before = {name: value.detach().clone() for name, value in instance.model.named_parameters()}
    start = objective(trainer, instance, rows)
    transformers.set_seed(2)
    instance.train()
    moved = [float((value.detach().float() - before[name].float()).norm())
             for name, value in instance.model.named_parameters()]  # fmt: skip
    broken_weights = [
        name for name, value in instance.model.named_parameters() if not value.isfinite().all()
    ]
    with torch.no_grad():
        end = start if broken_weights else objective(trainer, instance, rows)
    log = instance.state.log_history
    wrong = {key for line in log for key, value in line.items()
             if isinstance(value, float) and not math.isfinite(value)}  # fmt: skip
    return {
        "error": "",
        "moved": math.sqrt(sum(part * part for part in moved)) if not broken_weights else None,
        "finite": not broken_weights,
        "not_finite": sorted(wrong),
        "start": start,
        "end": end,
        "steps": instance.state.global_step,
        "loss": [line["loss"] for line in log if "loss" in line][-1:],
    }


def built(trainer, arguments):
    """The trainer and its rows."""
    from datasets import load_dataset
    from transformers import AutoTokenizer

    kind, config = classes(trainer)
    tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
    rows = load_dataset("json", data_files=f"{trainer}/train.jsonl", split="train",
                        cache_dir="cache")  # fmt: skip
    given = {"processing_class": tokenizer, "train_dataset": rows}
    if trainer in ("grpo", "rloo"):
        sys.path.insert(0, ".")
        import rewards

        given["reward_funcs"] = [rewards.even, rewards.third]
    if trainer == "ppo":
        given = {**given, **models_of_ppo(tokenizer, rows)}
    instance = kind(model=model_of(trainer), args=config(**arguments), **given)
    with contextlib.suppress(Exception):
        from transformers import PrinterCallback, ProgressCallback

        instance.remove_callback(PrinterCallback)
        instance.remove_callback(ProgressCallback)
    return instance, rows


def model_of(trainer):
    """The model that is trained."""
    import transformers

    auto = "SequenceClassification" if trainer == "reward" else "CausalLM"
    name = "reward-model" if trainer == "reward" else "model"
    return getattr(transformers, f"AutoModelFor{auto}").from_pretrained(name).float()


def models_of_ppo(tokenizer, rows):
    """The other models of PPO, and its rows as tokens."""
    tokens = rows.map(lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]},
                      remove_columns=rows.column_names)  # fmt: skip
    return {"ref_model": model_of("ppo"), "reward_model": model_of("reward"),
            "value_model": model_of("reward"), "train_dataset": tokens,
            "eval_dataset": tokens}  # fmt: skip


def objective(trainer, instance, rows):
    """What the training is meant to raise, measured on its rows without the trainer's own code."""
    import torch

    model = getattr(instance.model, "policy", instance.model)
    model.eval()
    tokenizer = instance.processing_class
    with torch.no_grad():
        if trainer in ("grpo", "rloo", "ppo"):
            value = reward_of(model, tokenizer, rows, instance)
        elif trainer == "reward":
            value = difference(model, tokenizer, rows, score)
        elif trainer == "dpo":
            value = difference(model, tokenizer, rows, likelihood)
        elif trainer == "kto":
            each = [likelihood(model, tokenizer, row, "completion") * (1 if row["label"] else -1)
                    for row in rows]  # fmt: skip
            value = sum(each) / len(each)
        else:
            each = [likelihood(model, tokenizer, row, "completion") for row in rows]
            value = sum(each) / len(each)
    model.train()
    return value


def difference(model, tokenizer, rows, measure):
    """How much better the chosen answers are than the rejected ones."""
    each = [measure(model, tokenizer, row, "chosen") - measure(model, tokenizer, row, "rejected")
            for row in rows]  # fmt: skip
    return sum(each) / len(each)


def likelihood(model, tokenizer, row, column):
    """The mean log-probability of an answer's tokens."""
    import torch

    prompt = tokenizer(row["prompt"])["input_ids"]
    whole = torch.tensor([prompt + tokenizer(row[column])["input_ids"]])
    logits = model(whole).logits[0, len(prompt) - 1 : -1].float().log_softmax(-1)
    return float(logits.gather(-1, whole[0, len(prompt) :, None]).mean())


def score(model, tokenizer, row, column):
    """The score that a reward model gives to an answer."""
    import torch

    whole = torch.tensor([tokenizer(row["prompt"] + row[column])["input_ids"]])
    return float(model(whole, attention_mask=torch.ones_like(whole)).logits[0, 0])


def reward_of(model, tokenizer, rows, instance):
    """The mean reward of completions that are drawn from the model as it is."""
    import torch

    prompts = tokenizer(rows["prompt"][:4], padding=True, return_tensors="pt")
    torch.manual_seed(0)
    texts = model.generate(
        **prompts, do_sample=True, temperature=1.0, top_k=0, max_new_tokens=COMPLETION,
        min_new_tokens=COMPLETION, num_return_sequences=16, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    drawn = texts[:, prompts["input_ids"].shape[1] :]
    if not hasattr(instance, "reward_funcs"):
        scores = instance.reward_model(
            texts, attention_mask=(texts != tokenizer.pad_token_id).long()
        )
        return float(scores.logits.mean())
    import rewards

    return sum(rewards.even(completion_ids=drawn.tolist())) / len(drawn)


if __name__ == "__main__":
    main()
