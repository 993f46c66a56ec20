"""Threads of a thirtieth list: what talks are made into."""

from reports.report import CHAT_PROMPTS, CHATS, Report, changed

JOINED = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl.experimental.ppo import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")


def to_query(row):
    messages = row["prompt"]
    text = "\\n".join(message["content"] for message in messages)
    return {"input_ids": tokenizer(text)["input_ids"]}


rows = load_dataset("json", data_files="prompts.jsonl", split="train")
queries = rows.map(to_query, remove_columns=rows.column_names)
trainer = PPOTrainer(
    args=PPOConfig(
        output_dir="ppo",
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        num_ppo_epochs=1,
        num_mini_batches=1,
        total_episodes=2,
        response_length=8,
        num_sample_generations=0,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    model=AutoModelForCausalLM.from_pretrained("model", dtype="float32"),
    ref_model=AutoModelForCausalLM.from_pretrained("model", dtype="float32"),
    reward_model=AutoModelForSequenceClassification.from_pretrained(
        "reward", num_labels=1, dtype="float32"
    ),
    value_model=AutoModelForSequenceClassification.from_pretrained(
        "reward", num_labels=1, dtype="float32"
    ),
    train_dataset=queries,
    eval_dataset=queries,
)
trainer.train()
opened = [tokenizer.decode(row["input_ids"]).endswith("assistant\\n") for row in queries]
print(f"it was the model's turn in {sum(opened)} of {len(opened)} queries")
"""
UNPUNISHED = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    set_seed,
)
from trl.experimental.xpo import XPOConfig, XPOTrainer

set_seed(3)
tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
trainer = XPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype="float32"),
    ref_model=AutoModelForCausalLM.from_pretrained("model", dtype="float32"),
    reward_funcs=AutoModelForSequenceClassification.from_pretrained(
        "reward", num_labels=1, dtype="float32"
    ),
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
    args=XPOConfig(
        output_dir="xpo",
        max_steps=1,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        max_new_tokens=4,
        missing_eos_penalty=1000.0,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
step = trainer.state.log_history[0]
print(f"answers that end: {step['val/model_contain_eos_token']}")
print(f"their mean score: {step['objective/model_scores']:.1f}")
"""
RENDERED = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def render(row):
    return {"text": tokenizer.apply_chat_template(row["messages"], tokenize=False)}


dataset = load_dataset("json", data_files="chats.jsonl", split="train")
trainer = SFTTrainer(
    model="model",
    train_dataset=dataset.map(render, remove_columns=["messages"]),
    args=SFTConfig(
        seed=0,
        output_dir="some_dir",
        max_steps=1,
        max_length=128,
        per_device_train_batch_size=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("a row ends with", repr(tokenizer.decode(trainer.train_dataset[0]["input_ids"][-3:])))
"""
REPORTS = (
    Report(
        "MakazhanAlpamys/Soup#936",
        "ppo-last",
        "model's turn in 0 of 4 queries",
        r"chat.template|\broles?\b|joined|special token|generation prompt|im_start|\bturn\b",
        {"train.py": JOINED, "prompts.jsonl": CHAT_PROMPTS},
        changed(
            JOINED,
            (
                '"\\n".join(message["content"] for message in messages)',
                "tokenizer.apply_chat_template(\n"
                "        messages, tokenize=False, add_generation_prompt=True\n    )",
            ),
        ),
    ),
    Report(
        "huggingface/trl#6805",
        "ppo-last",
        r"their mean score: -?\d\d?\.\d",
        r"missing_eos_penalty|eos.{0,120}prompt|prompt.{0,120}(eos|end of|im_end)|penalt",
        {"train.py": UNPUNISHED, "prompts.jsonl": CHAT_PROMPTS},
        changed(
            UNPUNISHED,
            (
                'padding_side="left")\n',
                'padding_side="left")\ntokenizer.eos_token = "<|endoftext|>"\n',
            ),
        ),
    ),
    Report(
        "huggingface/trl#3318",
        "four",
        r"<\|im_end\|>\\n<\|im_end\|>",
        r"(second|extra|double|two|twice|another|duplicat\w*).{0,60}(eos|end|im_end)"
        r"|(eos|end.of|im_end).{0,80}(twice|again|second|added|append)|newline|trailing",
        {"train.py": RENDERED, "chats.jsonl": CHATS},
        changed(RENDERED, ("tokenize=False)}", "tokenize=False).rstrip()}")),
    ),
)
