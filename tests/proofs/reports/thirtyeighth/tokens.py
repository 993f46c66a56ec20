"""Threads of a thirty-eighth list: tokens that begin a text, or end a turn."""

import json

from laid import ROOT

from reports.report import CHATS, Report, changed

HEALTHY = ROOT / "fixtures/models/healthy"


def tokenizer_config(**keys: object) -> str:
    """The configuration of the fixtures' tokenizer with other keys."""
    text = (HEALTHY / "tokenizer_config.json").read_text()
    return json.dumps({**json.loads(text), **keys})


BASE = {
    "model/tokenizer_config.json": tokenizer_config(eos_token="<|endoftext|>"),
    "model/generation_config.json": '{"eos_token_id": 296, "pad_token_id": 299}',
}
SFT_RECIPE = """\
model_name_or_path: model
dataset_name: talks.jsonl
output_dir: data/Distill
max_steps: 1
max_length: 256
per_device_train_batch_size: 2
learning_rate: 4.0e-05
logging_steps: 1
save_strategy: "no"
report_to: none
use_cpu: true
bf16: false
"""
SFT = '''\
"""Fine-tunes a base model on conversations; its tokenizer comes with a chat template."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser


def main(script_args, training_args, model_args):
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path),
        args=training_args,
        train_dataset=load_dataset("json", data_files=script_args.dataset_name, split="train"),
        processing_class=tokenizer,
    )
    trainer.train()
    trainer.save_model(training_args.output_dir)
    stops = AutoModelForCausalLM.from_pretrained(training_args.output_dir).generation_config
    ids = stops.eos_token_id if isinstance(stops.eos_token_id, list) else [stops.eos_token_id]
    print("generation stops at", ", ".join(tokenizer.convert_ids_to_tokens(ids)))


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    main(*parser.parse_args_and_config(["--config", "recipe.yaml"]))
'''
BEGINS = json.loads((HEALTHY / "tokenizer.json").read_text())
BEGINS["post_processor"] = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}},
               {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}},
             {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {
        "<|endoftext|>": {"id": "<|endoftext|>", "ids": [296], "tokens": ["<|endoftext|>"]}
    },
}  # fmt: skip
LLAMA = {
    "model/tokenizer.json": json.dumps(BEGINS),
    "model/tokenizer_config.json": tokenizer_config(
        bos_token="<|endoftext|>",
        chat_template="{{ bos_token }}{% for message in messages %}{{ '<|im_start|>' + "
        "message['role'] + '\\n\\n' + message['content'] + '<|im_end|>' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n\\n' }}{% endif %}",
    ),
}
TWICE = '''\
"""Conversations are made into texts with the template, then trained on as texts."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def formatting_prompts_func(examples):
    convos = examples["messages"]
    texts = [tokenizer.apply_chat_template(convo, tokenize=False) for convo in convos]
    return {"text": texts}


dataset = load_dataset("json", data_files="talks.jsonl", split="train")
dataset = dataset.map(formatting_prompts_func, batched=True, remove_columns=["messages"])
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="llama-3",
        max_length=256,
        max_steps=1,
        per_device_train_batch_size=2,
        learning_rate=2e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
first = trainer.train_dataset[0]["input_ids"]
print("tokens that begin the first row:", first[:2].count(tokenizer.bos_token_id))
'''
REPORTS = (
    Report(
        "huggingface/open-r1#556",
        "current",
        r"generation stops at <\|endoftext\|>\n",
        r"turns end|end of (the|a) turn|im_end",
        {"train.py": SFT, "recipe.yaml": SFT_RECIPE, "talks.jsonl": CHATS, **BASE},
        {"recipe.yaml": f'{SFT_RECIPE}eos_token: "<|im_end|>"\n'},
    ),
    Report(
        "huggingface/trl#1668",
        "current",
        "tokens that begin the first row: 2",
        r"(twice|two|double|second).*(bos|begin|endoftext)|(bos|begin|endoftext).*(twice|two|double)",
        {"train.py": TWICE, "talks.jsonl": CHATS, **LLAMA},
        changed(
            TWICE,
            (
                'return {"text": texts}',
                'return {"text": [text.removeprefix(tokenizer.bos_token) for text in texts]}',
            ),
        ),
    ),
)
