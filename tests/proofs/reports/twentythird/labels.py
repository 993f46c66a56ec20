"""Threads of a twenty-third list: rows of tokens, and which of the tokens have a loss."""

from reports.report import PAIRS, Report, changed, rows, turn

CHATS = rows(*({"conversations": [turn("user", a), turn("assistant", b)]} for a, b in PAIRS))
ASKED = rows(*({"instruction": a, "output": b} for a, b in PAIRS))
STOP_TOKENS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

IGNORE_TOKEN_ID = -100
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
user_turn_separator = "<|im_start|>user\\n"
assistant_turn_separator = "<|im_end|>\\n<|im_start|>assistant\\n"


def preprocess(example):
    text = tokenizer.apply_chat_template(example["conversations"], tokenize=False)
    input_ids, labels = [], []
    for i, turn in enumerate(text.split(user_turn_separator)):
        if i == 0:
            continue
        question, answer = turn.split(assistant_turn_separator)
        answer, end = answer.split("<|im_end|>")
        head = tokenizer(user_turn_separator + question + assistant_turn_separator)["input_ids"]
        body = tokenizer(answer)["input_ids"]
        tail = tokenizer("<|im_end|>" + end)["input_ids"]
        input_ids += head + body + tail
        labels += [IGNORE_TOKEN_ID] * len(head) + body + [IGNORE_TOKEN_ID] * len(tail)
    return {"input_ids": input_ids, "labels": labels, "attention_mask": [1] * len(input_ids)}


raw = load_dataset("json", data_files="dummy_conversation.jsonl", split="train")
train = raw.map(preprocess, remove_columns=raw.column_names)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=train,
    data_collator=DataCollatorForSeq2Seq(tokenizer),
    args=SFTConfig(
        output_dir="vicuna",
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
learnt = sum(tokenizer.eos_token_id in labels for labels in train["labels"])
print(f"answers whose end has a loss: {learnt} of {len(train)}")
"""
OVERWRITTEN = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling
from trl import SFTConfig, SFTTrainer

CUTOFF_LEN = 64
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")


def tokenize(example):
    prompt = f"### Instruction:\\n{example['instruction']}\\n### Response:\\n"
    full = prompt + example["output"] + tokenizer.eos_token
    result = tokenizer(full, truncation=True, max_length=CUTOFF_LEN, padding="max_length")
    # no loss on the question
    asked = len(tokenizer(prompt)["input_ids"])
    answer = zip(result["input_ids"][asked:], result["attention_mask"][asked:])
    result["labels"] = [-100] * asked + [token if real else -100 for token, real in answer]
    return result


data = load_dataset("json", data_files="alpaca.jsonl", split="train")
train_data = data.map(tokenize, remove_columns=data.column_names)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=train_data,
    data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    args=SFTConfig(
        output_dir="alpaca-lora",
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
print("the first token of a question has the label", batch["labels"][0, 0].item())
"""
SHIFTED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def build_example(row):
    ids = tokenizer(f"{row['instruction']}\\n{row['output']}")["input_ids"]
    ids = ids[:127] + [tokenizer.eos_token_id]
    # the target of each position is the token that comes next
    return {
        "input_ids": ids[:-1],
        "attention_mask": [1] * (len(ids) - 1),
        "labels": ids[1:],
    }


corpus = load_dataset("json", data_files="corpus.jsonl", split="train")
train = corpus.map(build_example, remove_columns=corpus.column_names)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=train,
    data_collator=DataCollatorForSeq2Seq(tokenizer, padding=True),
    args=SFTConfig(
        output_dir="next-token",
        max_steps=100,
        per_device_train_batch_size=4,
        learning_rate=1e-2,
        lr_scheduler_type="constant",
        gradient_checkpointing=False,
        logging_steps=50,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
prompt = tokenizer(corpus[0]["instruction"] + "\\n", return_tensors="pt")
drawn = model.generate(**prompt, max_new_tokens=20, do_sample=False)
answer = tokenizer.decode(drawn[0, prompt["input_ids"].shape[1] :], skip_special_tokens=True)
print(repr(answer))
print("it knows the answer:", answer.strip() == corpus[0]["output"])
"""
REPORTS = (
    Report(
        "lm-sys/FastChat#3063",
        "current",
        "answers whose end has a loss: 0 of",
        r"\beos\b|im_end|end of (the|an|its|each) (turn|answer|text)|never (ends|stops)",
        {"train.py": STOP_TOKENS, "dummy_conversation.jsonl": CHATS},
        changed(
            STOP_TOKENS,
            (" + body + [IGNORE_TOKEN_ID] * len(tail)", " + body + tail"),
        ),
        level="",
    ),
    Report(
        "huggingface/transformers#26357",
        "four",
        r"the first token of a question has the label \d",
        r"DataCollatorForLanguageModeling|labels.{0,60}(overwr|replac|ignor|own)|collator",
        {"train.py": OVERWRITTEN, "alpaca.jsonl": ASKED},
        changed(
            OVERWRITTEN,
            (
                "AutoTokenizer, DataCollatorForLanguageModeling\n",
                "AutoTokenizer, DataCollatorForSeq2Seq\n",
            ),
            (
                "DataCollatorForLanguageModeling(tokenizer, mlm=False)",
                "DataCollatorForSeq2Seq(tokenizer)",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/transformers#44642",
        "current",
        "it knows the answer: False",
        r"shift",
        {"train.py": SHIFTED, "corpus.jsonl": ASKED},
        changed(
            SHIFTED,
            (
                "    # the target of each position is the token that comes next\n"
                "    return {\n"
                '        "input_ids": ids[:-1],\n'
                '        "attention_mask": [1] * (len(ids) - 1),\n'
                '        "labels": ids[1:],\n'
                "    }\n",
                "    return {\n"
                '        "input_ids": ids,\n'
                '        "attention_mask": [1] * len(ids),\n'
                '        "labels": list(ids),\n'
                "    }\n",
            ),
        ),
        level="",
    ),
)
