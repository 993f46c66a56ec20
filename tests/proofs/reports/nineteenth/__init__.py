"""Threads of a nineteenth list: 60 symptoms, half of runs that die, half of runs that end.

The symptoms were written down before the first result, as a user would say them, and before a rule
or the list of what was missed before was read. random.Random("lapwing").shuffle gave their order;
all were asked once, of issues, with the names of trainers where that helped (one before its turn,
to see what an answer looks like), and two threads were looked up once more. Of each answer the
first thread of 2024 to 2026 was taken whose number was nowhere here, which runs in an environment
here, and whose cause can be known before the run. At most three are from one project besides TRL.
The runs of 20 symptoms had no such thread: their causes are unknown, or the threads were here.

Eleven die, ten end without an error. It was decided before the doctor was asked that all causes are
knowable: by the arguments or the release (HandsOnLLM#32, ms-swift#6827, ms-swift#4323,
LlamaFactory#3478, transformers#34754, trl#2998), by the objects (trl#3639, POVID#11, trl#1199,
transformers#34660, peft#1836, LlamaFactory#3400, trl#2059), by the rows or the template (Soup#785,
alignment-handbook#93, #117, liquid-finetune#37, transformers#39266, NLFT#3). Qwen-VL's #260 and
unsloth's notebooks#11 need the script's own code: an argument that nothing reads, and a pattern
that is asked about an answer of several lines. Some are rebuilt otherwise: LlamaFactory#3400 around
TRL's value head, transformers#34660 and peft#1836 with TRL's trainers, Soup#785 in one file.

Left out: no known cause: trl#2371, #2920, #3857, open-r1#255, #436, #474, ETO#14; a package, a
release or a pair that no environment has: trl#1639, #3528, #3694, #3926, #4096, #4189, oumi#882;
no longer failing: trl#3150, LlamaFactory#6446, transformers#28531; the same failure as several
here: ms-swift#5087, rl-swarm#340, autotrain-advanced#827, verl#5485, unsloth#603, trl#3147.
"""

import json
from dataclasses import replace

from laid import ROOT

from reports.nineteenth import adapters, groups, preferences, rows, steps, templates, tokens
from reports.report import CHATS, Report, changed

HEALTHY = ROOT / "fixtures/models/healthy"
ADDS_BOS = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ],
    "pair": [
        {"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"Sequence": {"id": "B", "type_id": 1}},
    ],
    "special_tokens": {
        "<|endoftext|>": {"id": "<|endoftext|>", "ids": [296], "tokens": ["<|endoftext|>"]}
    },
}


def tokenizer(folder: str, post_processor: object = None, **keys: object) -> dict[str, str]:
    """The tokenizer of the healthy model in a folder of its own, with these keys changed."""
    written = json.loads((HEALTHY / "tokenizer.json").read_text())
    if post_processor:
        written["post_processor"] = post_processor
    config = json.loads((HEALTHY / "tokenizer_config.json").read_text())
    kept = {key: value for key, value in {**config, **keys}.items() if value is not None}
    return {
        f"{folder}/tokenizer.json": json.dumps(written),
        f"{folder}/tokenizer_config.json": json.dumps(kept),
    }


RENDERED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

config = {"base": "model", "tokenizer": "llama", "data": "chats.jsonl", "only_responses": False}


def render(tokenizer):
    def to_text(example):
        text = tokenizer.apply_chat_template(example["messages"], tokenize=False)
        return {"text": text}

    return to_text


def build_trainer(config):
    tokenizer = AutoTokenizer.from_pretrained(config["tokenizer"])
    dataset = load_dataset("json", data_files=config["data"], split="train")
    if not config["only_responses"]:
        dataset = dataset.map(render(tokenizer), remove_columns=dataset.column_names)
    return SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(config["base"]),
        processing_class=tokenizer,
        train_dataset=dataset,
        args=SFTConfig(
            output_dir="soup",
            max_steps=1,
            per_device_train_batch_size=2,
            learning_rate=1e-4,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )


trainer = build_trainer(config)
trainer.train()
print("first tokens of a row:", trainer.train_dataset[0]["input_ids"][:3])
"""
BOS_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + "
    "message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
)
CHAT_FORMAT = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer, setup_chat_format

tokenizer = AutoTokenizer.from_pretrained("base", use_fast=True)
model = AutoModelForCausalLM.from_pretrained("model")
model, tokenizer = setup_chat_format(model, tokenizer)

dataset = load_dataset("json", data_files="chats.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"text": tokenizer.apply_chat_template(row["messages"], tokenize=False)},
    remove_columns=["messages"],
)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="smol",
        dataset_text_field="text",
        max_seq_length=256,
        max_steps=1,
        per_device_train_batch_size=4,
        learning_rate=2e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
ends = int((batch["labels"] == tokenizer.eos_token_id).sum())
print(f"turn ends that are trained: {ends}")
"""
THREADS = (
    Report(
        "MakazhanAlpamys/Soup#785",
        "current",
        r"first tokens of a row: \[296, 296",
        "bos|twice",
        {
            "train.py": RENDERED,
            "chats.jsonl": CHATS,
            **tokenizer("llama", ADDS_BOS, bos_token="<|endoftext|>", chat_template=BOS_TEMPLATE),
        },
        changed(
            RENDERED,
            (
                '        return {"text": text}',
                '        return {"text": text.removeprefix(tokenizer.bos_token)}',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#2059",
        "ppo-first",
        "turn ends that are trained: 0",
        "pad",
        {
            "train.py": CHAT_FORMAT,
            "chats.jsonl": CHATS,
            **tokenizer("base", chat_template=None, pad_token=None, eos_token="<|endoftext|>"),
        },
        changed(
            CHAT_FORMAT,
            (
                "setup_chat_format(model, tokenizer)\n",
                'setup_chat_format(model, tokenizer)\ntokenizer.pad_token = "<|fim_pad|>"\n',
            ),
        ),
    ),
)
REPORTS = tuple(
    replace(report, group="nineteenth")
    for report in (
        *THREADS,
        *adapters.REPORTS,
        *groups.REPORTS,
        *preferences.REPORTS,
        *rows.REPORTS,
        *steps.REPORTS,
        *templates.REPORTS,
        *tokens.REPORTS,
    )
)
