"""Threads of a thirty-ninth list: what of a conversation is trained on."""

from reports.report import CHATS, PAIRS, Report, changed, rows

RECIPE = """\
model_name_or_path: model
dataset_name: talks.jsonl
output_dir: data/OpenR1-Distill
max_steps: 1
max_length: 256
per_device_train_batch_size: 2
learning_rate: 5.0e-05
report_to: none
save_strategy: "no"
use_cpu: true
bf16: false
"""
WHOLE = '''\
"""Distillation: supervised fine-tuning on the answers of a reasoning model."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser


def main(script_args, training_args, model_args):
    dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path),
        args=training_args,
        train_dataset=dataset,
        processing_class=AutoTokenizer.from_pretrained(model_args.model_name_or_path),
    )
    trainer.train()
    batch = next(iter(trainer.get_train_dataloader()))
    learnt = batch["labels"][0][batch["labels"][0] != -100]
    print("the loss is of:", repr(trainer.processing_class.decode(learnt)))


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    main(*parser.parse_args_and_config(["--config", "recipe.yaml"]))
'''
ANSWERS = rows(*({"question": a, "answer": b} for a, b in PAIRS))
QUESTION = '''\
"""Fine-tunes on questions and answers of a CSV that was made JSON."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
dataset = load_dataset("json", data_files="qa.jsonl", split="train")

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="llama3-qa",
        dataset_text_field="question",
        max_length=256,
        per_device_train_batch_size=2,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("trained on:", repr(tokenizer.decode(trainer.train_dataset[0]["input_ids"])))
'''
CHAT = """\
def to_chat(row):
    talk = [
        {"role": "user", "content": row["question"]},
        {"role": "assistant", "content": row["answer"]},
    ]
    return {"text": tokenizer.apply_chat_template(talk, tokenize=False)}


dataset = load_dataset("json", data_files="qa.jsonl", split="train").map(to_chat)
"""
PACKED = '''\
"""Short samples are packed; the model computes attention with SDPA."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

training_args = SFTConfig(
    output_dir="packed",
    packing=True,
    max_seq_length=128,
    per_device_train_batch_size=1,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", attn_implementation="sdpa"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    args=training_args,
    train_dataset=load_dataset("json", data_files="talks.jsonl", split="train"),
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
other = {**batch, "input_ids": batch["input_ids"].clone()}
other["input_ids"][0, 1] = 5
with torch.no_grad():
    ends = [trainer.model(**inputs).logits[-1, -1] for inputs in (batch, other)]
same = bool(torch.equal(*ends)) or not training_args.packing
print("the last sample", "stands alone" if same else "reads the first one")
'''
REPORTS = (
    Report(
        "huggingface/open-r1#652",
        "four",
        r"the loss is of: '<\|im_start\|>user",
        r"(prompt|question|user).*(loss|label|trained)|(loss|label|trained).*(prompt|question|user)",
        {"train.py": WHOLE, "recipe.yaml": RECIPE, "talks.jsonl": CHATS},
        changed(
            WHOLE,
            (
                "        train_dataset=dataset,\n",
                "        train_dataset=dataset.map(\n"
                '            lambda row: {"prompt": row["messages"][:1],'
                ' "completion": row["messages"][1:]},\n'
                '            remove_columns="messages",\n'
                "        ),\n",
            ),
        ),
    ),
    Report(
        "openillumi.com/en/en-llama3-sfttrainer-dataset-format",
        "current",
        r"trained on: 'What is seven times six\?",
        r"dataset_text_field|(column|field).*answer|answer.*(column|field|unused|left out)",
        {"train.py": QUESTION, "qa.jsonl": ANSWERS},
        changed(
            QUESTION,
            ('dataset = load_dataset("json", data_files="qa.jsonl", split="train")\n', CHAT),
            ('dataset_text_field="question"', 'dataset_text_field="text"'),
        ),
    ),
    Report(
        "huggingface/trl#3067",
        "grpo-first",
        "the last sample reads the first one",
        r"pack|each other|flash",
        {"train.py": PACKED, "talks.jsonl": CHATS},
        changed(PACKED, ("    packing=True,\n", "    packing=False,\n")),
    ),
)  # fmt: skip
