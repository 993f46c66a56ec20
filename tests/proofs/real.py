"""One real step on a candidate: `python real.py`, a request on stdin, the answer on stdout.

An environment's interpreter runs it in the candidate's folder: standard library and the libraries
under test only. The answer's `error` is what the library raised, None where it raised nothing.
"""

import importlib
import inspect
import json
import os
import socket
import sys
import tempfile

QUICK = {
    "use_cpu": True,
    "bf16": False,
    "report_to": [],
    "save_strategy": "no",
    "disable_tqdm": True,
    "gradient_checkpointing": False,
    "logging_steps": 1,
    "max_steps": 1,
    "per_device_train_batch_size": 2,
    "num_generations": 2,
    "max_completion_length": 12,
    "response_length": 12,
    "total_episodes": 2,
    "num_ppo_epochs": 1,
    "num_mini_batches": 1,
    "num_sample_generations": 0,
    "local_rollout_forward_batch_size": 2,
}
"""Arguments that only make a step small; what the run says comes first."""
PROMPTS = ["What is seven times six?", "Write one sentence about the sea, and then count to five."]
ANSWERS = ["forty-two", "The sea was calm."]


def use_free_port():
    """Have the colocated engine listen at a free port: several may run side by side."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ["MASTER_PORT"] = str(free.getsockname()[1])


def trainer_of(name):
    """The trainer and its config, from where this release of trl has them."""
    stem = name.upper()
    for module in ("trl", f"trl.experimental.{name}"):
        try:
            home = importlib.import_module(module)
            return getattr(home, f"{stem}Trainer"), getattr(home, f"{stem}Config")
        except (ImportError, AttributeError):
            continue
    raise ImportError(f"this trl has no {stem}Trainer")


def arguments(config, run):
    """The config of the run; PPO counts episodes, and max_steps would stop it before one."""
    given = {**QUICK, "output_dir": tempfile.mkdtemp(), **run}
    taken = inspect.signature(config.__init__).parameters
    passed = {key: value for key, value in given.items() if key in taken}
    if run["trainer"] == "ppo":
        passed.pop("max_steps")
    return config(**passed)


def rows(trainer, prompts, tokenizer):
    """Eight rows of the columns that the trainer takes."""
    from datasets import Dataset

    conversations = [[{"role": "user", "content": prompt}] for prompt in prompts]
    if trainer == "ppo":
        rendered = [
            tokenizer.apply_chat_template(conversation, tokenize=False, add_generation_prompt=True)
            for conversation in conversations
        ]
        return Dataset.from_dict(
            {"input_ids": [tokenizer(text)["input_ids"] for text in rendered] * 4}
        )
    columns = {"prompt": conversations * 4}
    if trainer == "dpo":
        answers = [[{"role": "assistant", "content": answer}] for answer in ANSWERS]
        columns |= {"chosen": answers * 4, "rejected": answers[::-1] * 4}
    return Dataset.from_dict(columns)


def watched(policy, say):
    """The widths that `policy` will generate; its every logit says the token id `say`."""
    import torch

    widths, generate = [], policy.generate

    def counting(*args, **more):
        out = generate(*args, **more)
        ids = args[0] if args else more["input_ids"]
        widths.append(getattr(out, "sequences", out).shape[1] - ids.shape[1])
        return out

    def saying(module, given, out):
        return out + 100 * torch.nn.functional.one_hot(torch.tensor(say), out.shape[-1])

    policy.generate = counting
    if say is not None:
        policy.get_output_embeddings().register_forward_hook(saying)
    return widths


def others(trainer, run, tokenizer, taken):
    """What the trainer wants besides policy, config, tokenizer and rows."""
    from transformers import AutoModelForCausalLM as Causal
    from transformers import AutoModelForSequenceClassification as Classifier
    from transformers import DataCollatorWithPadding

    if trainer == "grpo":
        return {"reward_funcs": lambda completions, **_: [*map(float, range(len(completions)))]}
    if trainer != "ppo":
        return {}

    def judge(key):
        name = run.get(key)
        return name and Classifier.from_pretrained(name, num_labels=1).float()

    more = {
        "reward_model": judge("reward_model_path"),
        "value_model": judge("value_model_name_or_path"),
        "ref_model" if "ref_model" in taken else "ref_policy": Causal.from_pretrained(
            run["model_name_or_path"]
        ).float(),
    }
    if "config" in taken:
        more["data_collator"] = DataCollatorWithPadding(tokenizer)
    return more


def train(request):
    """One step of the real trainer: what it generated, and what it logged."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    torch.manual_seed(0)
    run, say = request["run"], request.get("say")
    trainer, config = trainer_of(run["trainer"])
    taken = inspect.signature(inspect.unwrap(trainer.__init__)).parameters
    config = arguments(config, run)
    name = run["model_name_or_path"]
    tokenizer = AutoTokenizer.from_pretrained(name, padding_side="left")
    policy = AutoModelForCausalLM.from_pretrained(name).float()
    widths = watched(policy, tokenizer.convert_tokens_to_ids(say) if say else None)
    data = rows(run["trainer"], request.get("prompts") or PROMPTS, tokenizer)
    instance = trainer(
        **{
            "policy" if "policy" in taken else "model": policy,
            "config" if "config" in taken else "args": config,
            "processing_class": tokenizer,
            "train_dataset": data,
            "eval_dataset": data,
        },
        **others(run["trainer"], run, tokenizer, taken),
    )
    instance.train()
    return {"generated": widths, "log": instance.state.log_history, **tokenize(request)}


def tokenize(request):
    """The ids of a text with special and added tokens in it."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(request["run"]["model_name_or_path"])
    text = "What <|im_start|>user<|im_end|> \\boxed{42} <extra>ümlaut\n\n  two<|fim_pad|>"
    return {"ids": tokenizer(text)["input_ids"]}


def save(request):
    """The tokenizer written back by this release of transformers."""
    from transformers import AutoTokenizer

    name = request["run"]["model_name_or_path"]
    AutoTokenizer.from_pretrained(name).save_pretrained(name)
    return tokenize(request)


def resize(request):
    """The model given a row for every token, and written back."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    name = request["run"]["model_name_or_path"]
    model = AutoModelForCausalLM.from_pretrained(name)
    model.resize_token_embeddings(len(AutoTokenizer.from_pretrained(name)), pad_to_multiple_of=64)
    model.save_pretrained(name)
    return {}


def main():
    """Answer the request; whatever the libraries print goes to stderr."""
    answer = os.dup(1)
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    try:
        ask = {"train": train, "save": save, "resize": resize}[request["ask"]]
        result = {"error": None, **ask(request)}
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    with os.fdopen(answer, "w") as out:
        json.dump(result, out, default=str)


if __name__ == "__main__":
    main()
