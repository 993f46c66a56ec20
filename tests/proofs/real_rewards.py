"""Real steps with reward functions: `python real_rewards.py`, a request on stdin, an answer back.

An environment's interpreter runs it in the candidate's folder, once for many functions: the answer
has, for each name of `reward_funcs`, what was raised or logged, and what became of the weights.
"""

import importlib
import inspect
import json
import os
import sys
from pathlib import Path

import real

SCORER = "reward model: "
"""Before the folder of a reward model, which GRPO and RLOO take by its name."""


def reward_function(name):
    """A function by its dotted path, as TRL's script finds it; a reward model by its folder."""
    if name.startswith(SCORER):
        return name.removeprefix(SCORER)
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def steps(run, rows, name, seed):
    """Two optimizer steps with one function on these rows."""
    import torch
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.manual_seed(seed)
    trainer, config = real.trainer_of(run["trainer"])
    tokenizer = AutoTokenizer.from_pretrained(run["model_name_or_path"], padding_side="left")
    policy = AutoModelForCausalLM.from_pretrained(run["model_name_or_path"]).float()
    before = [parameter.detach().clone() for parameter in policy.parameters()]
    taken = inspect.signature(inspect.unwrap(trainer.__init__)).parameters
    instance = trainer(
        **{
            "model": policy,
            "config" if "config" in taken else "args": real.arguments(
                config, {**run, "max_steps": 2, "learning_rate": 0.001, "seed": seed}
            ),
            "processing_class": tokenizer,
            "train_dataset": Dataset.from_list(rows * 4),
            "reward_funcs": [reward_function(name)],
        }
    )
    instance.train()
    after = list(policy.parameters())
    head = getattr(instance.reward_funcs[0], "score", None)
    return {
        "log": instance.state.log_history,
        "finite": all(bool(tensor.isfinite().all()) for tensor in after),
        "head": head and float(head.weight.float().sum()),
        "moved": any(bool((a != b).any()) for a, b in zip(before, after, strict=True)),
    }


def tried(*arguments):
    """The same, with the error that ended it, None where nothing did."""
    try:
        return {"error": None, **steps(*arguments)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}


def main():
    """Answer the request; whatever the libraries print goes to stderr."""
    import torch

    answer = os.dup(1)
    os.dup2(2, 1)
    torch.set_num_threads(1)
    request = json.load(sys.stdin)
    run = request["run"]
    sys.path.insert(0, os.getcwd())  # noqa: PTH109
    lines = Path(run["dataset_name"]).read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    results = {name: tried(run, rows, name, request["seed"]) for name in run["reward_funcs"]}
    with os.fdopen(answer, "w") as out:
        json.dump(results, out, default=str)


if __name__ == "__main__":
    main()
