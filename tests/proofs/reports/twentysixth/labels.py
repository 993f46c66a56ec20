"""Threads of a twenty-sixth list: labels that a script makes wrongly of its rows."""

from reports.report import PAIRS, Report, changed, rows, turn

DESIRABLE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer


def convert_alpaca(example):
    prompt = [{"role": "user", "content": example["instruction"]}]
    response = [{"role": "assistant", "content": example["output"]}]
    response = response + [{"role": "assistant", "content": ""}]
    return {"prompt": prompt, "response": response}


def preprocess_feedback(example):
    desirable, undesirable = example["response"]
    kto_tag = bool(desirable["content"])
    return {"completion": [desirable if kto_tag else undesirable], "label": kto_tag}


dataset = load_dataset("json", data_files="kto_alpaca.jsonl", split="train")
dataset = dataset.map(convert_alpaca)
dataset = dataset.map(preprocess_feedback, remove_columns=["response", "kto_tag"])
dataset = dataset.remove_columns(["instruction", "output"])

trainer = KTOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=dataset,
    args=KTOConfig(
        output_dir="kto",
        max_steps=2,
        per_device_train_batch_size=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
bad = sum(not label for label in trainer.train_dataset["label"])
print(f"rows that are trained as undesirable: {bad} of {len(dataset)}")
"""
MARKED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

MAX_LENGTH = 128
tokenizer = AutoTokenizer.from_pretrained("model")


def generate_loss_mask(input_ids):
    # 0: no loss, 1: loss
    mask = [0] * len(input_ids)
    a_sequence = [3, 1074, 537, 500, 203]  # <|im_start|>assistant\\n
    a_length = len(a_sequence)
    i = 0
    while i <= len(input_ids) - a_length:
        if input_ids[i : i + a_length] != a_sequence:
            i += 1
            continue
        j = i + a_length
        while j < len(input_ids):
            mask[j] = 1
            if input_ids[j] == tokenizer.eos_token_id:
                break
            j += 1
        i = j + 1
    return mask


def encode(sample):
    text = tokenizer.apply_chat_template(sample["conversations"], tokenize=False)
    input_ids = tokenizer(text)["input_ids"][:MAX_LENGTH]
    mask = generate_loss_mask(input_ids)
    labels = [token if kept else -100 for token, kept in zip(input_ids, mask)]
    return {"input_ids": input_ids, "labels": labels}


data = load_dataset("json", data_files="belle.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=data.map(encode, remove_columns=data.column_names),
    args=SFTConfig(
        output_dir="sft-215m",
        max_steps=2,
        per_device_train_batch_size=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
print("tokens of a batch that have a loss:", int((batch["labels"] != -100).sum()))
"""
TAGGED = rows(
    *(
        {"instruction": asked, "output": answer if n % 2 else "No.", "kto_tag": bool(n % 2)}
        for n, (asked, answer) in enumerate(PAIRS)
    )
)
TALKS = rows(
    *(
        {"conversations": [turn("user", asked), turn("assistant", answer)]}
        for asked, answer in PAIRS
    )
)
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#3803",
        "current",
        "rows that are trained as undesirable: 0 of",
        r"\bdesirable|kto_tag|label.{0,80}\b(all|only|every|each|same|always|True)\b",
        {"train.py": DESIRABLE, "kto_alpaca.jsonl": TAGGED},
        changed(
            DESIRABLE,
            (
                '    response = response + [{"role": "assistant", "content": ""}]\n',
                '    empty = [{"role": "assistant", "content": ""}]\n'
                '    response = response + empty if example["kto_tag"] else empty + response\n',
            ),
        ),
        level="",
    ),
    Report(
        "datawhalechina/happy-llm#50",
        "four",
        "tokens of a batch that have a loss: 0\n",
        r"-100|no tokens?\b.{0,60}(loss|train|learn)|loss_mask|a_sequence|without a loss|no loss",
        {"train.py": MARKED, "belle.jsonl": TALKS},
        changed(
            MARKED,
            (
                "[3, 1074, 537, 500, 203]  # <|im_start|>assistant\\n",
                'tokenizer("<|im_start|>assistant\\n")["input_ids"]',
            ),
        ),
        level="",
    ),
)
