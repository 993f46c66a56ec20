"""Small models, tokenizers and trainers for the scripts beside this, for any release of TRL.

A script ends with `verdict`, which prints `shown: …` or `absent: …`. It runs alone:
`python tests/proofs/advisories/trld_5353.py` with the interpreter that has the release.
"""

import dataclasses
import importlib
import os
import re
import tempfile
import traceback
import warnings

os.environ.update(
    HF_HUB_OFFLINE="1", TRL_EXPERIMENTAL_SILENCE="1", CUDA_VISIBLE_DEVICES="", WANDB_MODE="disabled"
)
warnings.simplefilter("ignore")

WORDS = [f"w{number}" for number in range(40)]
MARKS = ["<pad>", "<eos>", "<turn>", "<unk>", "<|user|>", "<|assistant|>", "<|system|>"]
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|> ' + message['content'] }}"
    "{{ ' <eos> ' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|> ' }}{% endif %}"
)


def verdict(shown, why):
    """Say whether the bug showed, and the figures that say so."""
    print(f"{'shown' if shown else 'absent'}: {why}")


def raises(pattern, act):
    """Say whether an act dies of an error with this text; another error is raised."""
    try:
        act()
    except BaseException as error:
        text = "".join(traceback.format_exception(error))
        match = re.search(pattern, text)
        if not match:
            raise
        verdict(True, f"{type(error).__name__}: {match[0]}")
    else:
        verdict(False, "it raises nothing")


def tokenizer(pad="<pad>"):
    """Forty words and the marks of a conversation, a word a token."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {word: number for number, word in enumerate([*MARKS, *WORDS])}
    inner = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    inner.add_special_tokens(MARKS)
    result = PreTrainedTokenizerFast(
        tokenizer_object=inner, eos_token="<eos>", pad_token=pad, unk_token="<unk>"
    )
    result.chat_template = TEMPLATE
    result.padding_side = "left"
    result.model_input_names = ["input_ids", "attention_mask"]
    return result


def model(**generation):
    """A random Llama of one layer; `generation` goes to its generation config."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "max_position_embeddings": 128}
    ids = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    result = LlamaForCausalLM(
        LlamaConfig(vocab_size=len(MARKS) + len(WORDS), **sizes, **heads, **ids)
    )
    for name, value in generation.items():
        setattr(result.generation_config, name, value)
    return result


def of_trl(name):
    """A class of TRL, also where it lives among the experimental ones."""
    import trl

    try:
        return getattr(trl, name)
    except AttributeError:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", re.sub(r"(Trainer|Config)$", "", name))
        home = words.lower().replace("iwopd", "iw_opd")
        return getattr(importlib.import_module(f"trl.experimental.{home}"), name)


def trainer(name, rows, arguments, model_=None, tokens=None, **keywords):
    """A trainer (`"SFT"`) with small sizes; arguments that the release lacks are left out."""
    from datasets import Dataset

    config, kind = of_trl(f"{name}Config"), of_trl(f"{name}Trainer")
    quiet = {"report_to": [], "save_strategy": "no", "logging_steps": 1, "disable_tqdm": True}
    small = {"per_device_train_batch_size": 2, "max_steps": 1, "bf16": False, "use_cpu": True}
    wanted = {"output_dir": tempfile.mkdtemp(), "seed": 1, **quiet, **small, **arguments}
    fields = {field.name for field in dataclasses.fields(config)}
    if name in ("DPO", "OnlineDPO"):
        keywords.setdefault("ref_model", model())
    return kind(
        model=model_ or model(),
        args=config(**{key: value for key, value in wanted.items() if key in fields}),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokens or tokenizer(),
        **keywords,
    )


def grpo(rewards, rows=4, generation=None, tokens=None, **arguments):
    """A GRPO trainer of one prompt, with two completions of up to eight tokens."""
    wanted = {"num_generations": 2, "max_completion_length": 8, "beta": 0.0, "use_vllm": False}
    prompts = [{"prompt": "w1 w2 w3"}] * rows if isinstance(rows, int) else rows
    return trainer(
        "GRPO", prompts, {**wanted, **arguments}, model(**(generation or {})), tokens,
        reward_funcs=rewards,
    )  # fmt: skip


def lengths(completions, **_):
    """A reward of its own for each completion."""
    return [float(number) for number, _ in enumerate(completions)]


def logged(trained, name):
    """The last value of that name that a trainer logged."""
    return [entry[name] for entry in trained.state.log_history if name in entry][-1]


def generated(trained):
    """What a GRPO trainer makes of one batch: the inputs of its loss."""
    batch = next(iter(trained.get_train_dataloader()))
    make = getattr(trained, "_generate_and_score_completions", trained._prepare_inputs)
    return make(batch[: trained.args.per_device_train_batch_size])
