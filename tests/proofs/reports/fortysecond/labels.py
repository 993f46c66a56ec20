"""Threads of a forty-second list: which tokens are trained."""

from reports.report import ASKED, CHATS, PAIRS, Report, changed, rows, turn

ONLY = '''\
"""Fine-tuning on the answers: all that is before the header of an answer is masked."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

INSTRUCTION = "<|start_header_id|>user<|end_header_id|>\\n\\n"
RESPONSE = "<|start_header_id|>assistant<|end_header_id|>\\n\\n"

tokenizer = AutoTokenizer.from_pretrained("model")


def positions(ids, part):
    """Where the part begins."""
    return [at for at in range(len(ids)) if ids[at : at + len(part)] == part]


def train_on_responses_only(row):
    ids = tokenizer.apply_chat_template(row["messages"], tokenize=True, return_dict=False)
    response = tokenizer(RESPONSE, add_special_tokens=False)["input_ids"]
    instruction = tokenizer(INSTRUCTION, add_special_tokens=False)["input_ids"]
    labels = [-100] * len(ids)
    for at in positions(ids, response):
        begin = at + len(response)
        ends = [end for end in positions(ids, instruction) if end > begin]
        end = ends[0] if ends else len(ids)
        labels[begin:end] = ids[begin:end]
    return {"input_ids": ids, "attention_mask": [1] * len(ids), "labels": labels}


dataset = load_dataset("json", data_files="chats.jsonl", split="train")
dataset = dataset.map(train_on_responses_only, remove_columns=dataset.column_names)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=SFTConfig(
        output_dir="outputs",
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        warmup_steps=5,
        max_steps=2,
        learning_rate=2e-4,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
    data_collator=DataCollatorForSeq2Seq(tokenizer=tokenizer),
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
print("tokens that are trained in a batch:", int((batch["labels"] != -100).sum()))
'''
KEY = '''\
"""Fine-tuning on the answers, with the collator for it."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def formatting_prompts_func(example):
    return f"### Question: {example['question']}\\n ### Answer: {example['answer']}"


collator = DataCollatorForCompletionOnlyLM(" ### Answer: ", tokenizer=tokenizer)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=SFTConfig(
        output_dir="sft",
        max_seq_length=128,
        per_device_train_batch_size=2,
        logging_steps=1,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="answers.jsonl", split="train"),
    processing_class=tokenizer,
    formatting_func=formatting_prompts_func,
    data_collator=collator,
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
print("tokens that are trained in a batch:", int((batch["labels"] != -100).sum()))
'''
LOWER = rows(*({"question": asked, "answer": f"the {at} is so."} for at, asked in enumerate(ASKED)))
STRICT = (
    "{% if not (messages | selectattr('role', 'equalto', 'user') | list) %}"
    "{{ raise_exception('No user query found in messages.') }}{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
WITH_SYSTEM = rows(
    *(
        {"messages": [turn("system", "Be brief."), turn("user", a), turn("assistant", b)]}
        for a, b in PAIRS
    )
)
CUMULATIVE = '''\
"""Fine-tuning on the answers: the chat is rendered turn by turn."""

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def build_assistant_only_labels(row):
    """Only what an assistant's turn adds is trained."""
    messages, ids, mask = row["messages"], [], []
    for count in range(1, len(messages) + 1):
        seen = messages[:count]
        rendered = tokenizer.apply_chat_template(seen, tokenize=True, return_dict=False)
        trained = int(messages[count - 1]["role"] == "assistant")
        mask += [trained] * (len(rendered) - len(ids))
        ids = rendered
    return {"input_ids": ids, "completion_mask": mask}


dataset = load_dataset("json", data_files="chats.jsonl", split="train")
dataset = dataset.map(build_assistant_only_labels, remove_columns=dataset.column_names)
trainer = SFTTrainer(
    model="model",
    args=SFTConfig(
        output_dir="soup",
        per_device_train_batch_size=2,
        completion_only_loss=True,
        learning_rate=2e-5,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
'''
SEEN = "        seen = messages[:count]\n"
SKIPPED = (
    SEEN + '        if not any(message["role"] == "user" for message in seen):\n'
    "            continue\n"
)
REPORTS = (
    Report(
        "unslothai/unsloth#1128",
        "four",
        r"tokens that are trained in a batch: 0\b",
        r"-100|masked|no (token|label)|nothing is (learnt|trained)|RESPONSE|start_header_id",
        {"train.py": ONLY, "chats.jsonl": CHATS},
        changed(
            ONLY,
            ("<|start_header_id|>user<|end_header_id|>\\n\\n", "<|im_start|>user\\n"),
            ("<|start_header_id|>assistant<|end_header_id|>\\n\\n", "<|im_start|>assistant\\n"),
        ),
    ),
    Report(
        "huggingface/trl#619",
        "grpo-first",
        r"tokens that are trained in a batch: 0\b",
        r"response_template|### Answer|-100|masked|no (token|label)|nothing is (learnt|trained)",
        {"train.py": KEY, "answers.jsonl": LOWER},
        changed(KEY, ('(" ### Answer: ", tok', '(" ### Answer:", tok')),
    ),
    Report(
        "MakazhanAlpamys/Soup#540",
        "current",
        "No user query found in messages",
        r"No user query|raise_exception|chat template|template (refuses|raises)",
        {
            "train.py": CUMULATIVE,
            "chats.jsonl": WITH_SYSTEM,
            "model/chat_template.jinja": STRICT,
        },
        changed(CUMULATIVE, (SEEN, SKIPPED)),
    ),
)
