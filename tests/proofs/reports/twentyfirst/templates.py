"""Threads of a twenty-first list: the tokens that begin a text and those that end it."""

import json

from reports.report import CHATS, PAIRS, ROOT, Report, changed, rows, turn

TOKENIZER = json.loads((ROOT / "fixtures/models/healthy/tokenizer.json").read_text())
NAMED = json.loads((ROOT / "fixtures/models/healthy/tokenizer_config.json").read_text())
BEGINS = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ],
    "pair": [
        {"Sequence": {"id": "A", "type_id": 0}},
        {"Sequence": {"id": "B", "type_id": 1}},
    ],
    "special_tokens": {
        "<|endoftext|>": {"id": "<|endoftext|>", "ids": [296], "tokens": ["<|endoftext|>"]}
    },
}
ADDS_BOS = {
    "model/tokenizer.json": json.dumps({**TOKENIZER, "post_processor": BEGINS}),
    "model/tokenizer_config.json": json.dumps(
        {
            **NAMED,
            "bos_token": "<|endoftext|>",
            "chat_template": "{{ bos_token }}" + NAMED["chat_template"],
        }
    ),
}
CHOICES = rows(
    *(
        {
            "chosen": [turn("user", asked), turn("assistant", answer)],
            "rejected": [turn("user", asked), turn("assistant", "I would rather not say.")],
        }
        for asked, answer in PAIRS
    )
)
REWARD_ROWS = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.model_max_length = 256
model = AutoModelForSequenceClassification.from_pretrained(
    "model", num_labels=1, torch_dtype=torch.float32
)


def build(example):
    options = {"truncation": True, "max_length": tokenizer.model_max_length}
    chosen = tokenizer.apply_chat_template(example["chosen"], tokenize=False)
    rejected = tokenizer.apply_chat_template(example["rejected"], tokenize=False)
    chosen = tokenizer(chosen, **options)
    rejected = tokenizer(rejected, **options)
    return {
        "input_ids_chosen": chosen["input_ids"],
        "attention_mask_chosen": chosen["attention_mask"],
        "input_ids_rejected": rejected["input_ids"],
        "attention_mask_rejected": rejected["attention_mask"],
    }


dataset = load_dataset("json", data_files="choices.jsonl", split="train").map(build)
dataset = dataset.remove_columns(["chosen", "rejected"])
trainer = RewardTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    args=RewardConfig(
        output_dir="grm",
        max_length=256,
        max_steps=1,
        per_device_train_batch_size=2,
        learning_rate=1e-5,
        report_to="none",
        save_strategy="no",
        remove_unused_columns=False,
        use_cpu=True,
    ),
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
row = batch["input_ids_chosen"][0]
print("tokens that begin a text:", int((row == tokenizer.bos_token_id).sum()))
"""
MASKED = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

training_args = SFTConfig(
    output_dir="agent-sft",
    chat_template_path="training_template.jinja",
    assistant_only_loss=True,
    max_steps=2,
    per_device_train_batch_size=2,
    learning_rate=2e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
dataset = load_dataset("json", data_files="chats.jsonl", split="train")
trainer = SFTTrainer(model="model", args=training_args, train_dataset=dataset)
trainer.train()

batch = next(iter(trainer.get_train_dataloader()))
stop = trainer.processing_class.convert_tokens_to_ids("<|im_end|>")
trained = batch["input_ids"][batch["labels"] != -100]
print("tokens trained:", trained.numel())
print("of them the end of a turn:", int((trained == stop).sum()))
"""
BEFORE = """\
{%- for message in messages %}
{{- '<|im_start|>' + message['role'] + '\\n' }}
{%- if message['role'] == 'assistant' %}
{%- generation %}{{ message['content'] }}{%- endgeneration %}{{- '<|im_end|>\\n' }}
{%- else %}{{- message['content'] + '<|im_end|>\\n' }}{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
"""
AFTER = BEFORE.replace(
    "{{ message['content'] }}{%- endgeneration %}{{- '<|im_end|>\\n' }}",
    "{{ message['content'] + '<|im_end|>' }}{%- endgeneration %}{{- '\\n' }}",
)
UNENDING = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
chats = load_dataset("json", data_files="chats.jsonl", split="train")
texts = chats.map(
    lambda row: {"text": tokenizer.apply_chat_template(row["messages"], tokenize=False)},
    remove_columns=chats.column_names,
)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=texts,
    args=SFTConfig(
        output_dir="mini-sft",
        dataset_text_field="text",
        max_seq_length=128,
        num_train_epochs=60,
        per_device_train_batch_size=4,
        learning_rate=1e-2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.train()
trainer.save_model("mini-sft/final")

model = AutoModelForCausalLM.from_pretrained("mini-sft/final", torch_dtype=torch.float32)
question = [{"role": "user", "content": "Count to five."}]
ids = tokenizer.apply_chat_template(question, add_generation_prompt=True, return_tensors="pt")
answer = model.generate(ids, max_new_tokens=200, do_sample=False)[0, ids.shape[1] :]
print(repr(tokenizer.decode(answer[:60])))
print("the answer ends by itself:", len(answer) < 200)
"""
NO_STOP = {"config.json": {"eos_token_id": None}, "generation_config.json": {"eos_token_id": None}}
REPORTS = (
    Report(
        "YangRui2015/Generalizable-Reward-Model#6",
        "ppo-first",
        "tokens that begin a text: 2",
        "two BOS|BOS.{0,40}twice|twice.{0,40}BOS|add_special_tokens|second BOS",
        {"train.py": REWARD_ROWS, "choices.jsonl": CHOICES, **ADDS_BOS},
        changed(
            REWARD_ROWS,
            (
                '"max_length": tokenizer.model_max_length}',
                '"max_length": tokenizer.model_max_length, "add_special_tokens": False}',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#5988",
        "four",
        "of them the end of a turn: 0",
        r"endgeneration|(end.of.turn|end of (a|the|each) turn|im_end|stop token|EOS).{0,120}"
        "(train|mask|loss|label|learn)",
        {
            "train.py": MASKED,
            "chats.jsonl": CHATS,
            "training_template.jinja": BEFORE,
        },
        {"training_template.jinja": AFTER},
        level="",
    ),
    Report(
        "jingyaogong/minimind#555",
        "ppo-first",
        "the answer ends by itself: False",
        "eos_token_id|names no eos",
        {"train.py": UNENDING, "chats.jsonl": CHATS},
        {},
        model=NO_STOP,
        level="",
    ),
)
