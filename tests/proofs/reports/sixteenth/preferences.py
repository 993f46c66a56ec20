"""Threads of a sixteenth list: pairs, labelled answers and reward models."""

from reports.report import PAIRS, PREFERENCES, Report, changed, rows, turn

TEMPLATED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

# SFT has taught the model to chat; its answers are aligned here
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
pairs = load_dataset("json", data_files="pairs.jsonl", split="train")
training_args = DPOConfig(
    output_dir="dpo-chat",
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=1e-4,
    beta=0.1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = DPOTrainer(
    model=model, args=training_args, train_dataset=pairs, processing_class=tokenizer
)
trainer.train()
prompt = tokenizer.decode(trainer.train_dataset[0]["prompt_ids"])
print("the chat template is in the prompts:", "<|im_start|>user" in prompt)
"""
CONVERSED = rows(
    *(
        {
            "prompt": [turn("user", asked)],
            "chosen": [turn("assistant", answer)],
            "rejected": [turn("assistant", "No.")],
        }
        for asked, answer in PAIRS
    )
)
KEPT_END = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

MODEL = "model"
model = AutoModelForCausalLM.from_pretrained(MODEL, torch_dtype=torch.float32)
ref_model = AutoModelForCausalLM.from_pretrained(MODEL, torch_dtype=torch.float32)
tokenizer = AutoTokenizer.from_pretrained(MODEL)
data = load_dataset("json", data_files="documents.jsonl", split="train")

config = DPOConfig(
    output_dir="dpo-documents",
    max_length=192,
    truncation_mode="keep_end",  # what is asked about the document, and the answer, come last
    per_device_train_batch_size=2,
    max_steps=1,
    logging_steps=1,
    learning_rate=1e-4,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = DPOTrainer(
    model=model,
    ref_model=ref_model,
    args=config,
    train_dataset=data,
    processing_class=tokenizer,
)
trainer.train()
"""
DOCUMENTS = rows(
    *(
        {
            "prompt": "The sea was calm and the boat went on. " * 12 + asked,
            "chosen": f" {answer}",
            "rejected": " No.",
        }
        for asked, answer in PAIRS
    )
)
SORTED = """\
from datasets import concatenate_datasets, load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

preferences = load_dataset("json", data_files="pairs.jsonl", split="train")


def half(column, label):
    kept = preferences.select_columns(["prompt", column]).rename_column(column, "completion")
    return kept.add_column("label", [label] * len(kept))


dataset = concatenate_datasets([half("chosen", True), half("rejected", False)])
args = KTOConfig(
    output_dir="kto",
    per_device_train_batch_size=4,
    num_train_epochs=1,
    learning_rate=1e-4,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = KTOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=args,
    train_dataset=dataset,
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()
labels = [{bool(one) for one in batch["label"]} for batch in trainer.get_train_dataloader()]
print("batches of one label only:", sum(len(one) == 1 for one in labels), "of", len(labels))
"""
MANY = rows(
    *(
        {"prompt": f"What is {n} times two?", "chosen": f" It is {2 * n}.", "rejected": " No."}
        for n in range(16)
    )
)
SCORED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

base = "model"
tokenizer = AutoTokenizer.from_pretrained(base)
model = AutoModelForSequenceClassification.from_pretrained(
    base, num_labels=1, torch_dtype=torch.float32
)

# Llama has no pad token
tokenizer.pad_token = tokenizer.eos_token
model.config.pad_token_id = tokenizer.pad_token_id

training_args = RewardConfig(
    output_dir="bt-reward",
    max_length=256,
    per_device_train_batch_size=2,
    num_train_epochs=1,
    learning_rate=2e-5,
    logging_steps=1,
    remove_unused_columns=False,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = RewardTrainer(
    model=model,
    args=training_args,
    train_dataset=load_dataset("json", data_files="chosen.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
with torch.no_grad():
    chosen, rejected = (
        trainer.model(batch[f"input_ids_{one}"], batch[f"attention_mask_{one}"]).logits
        for one in ("chosen", "rejected")
    )
print("chosen and rejected get one score:", torch.allclose(chosen, rejected))
"""
CHOSEN = rows(
    *(
        {
            "chosen": [turn("user", asked), turn("assistant", answer)],
            "rejected": [turn("user", asked), turn("assistant", "No.")],
        }
        for asked, answer in PAIRS
    )
)
REPORTS = (
    Report(
        "huggingface/trl#1687",
        "current",
        "the chat template is in the prompts: False",
        "chat.template",
        {"train.py": TEMPLATED, "pairs.jsonl": PREFERENCES},
        {"pairs.jsonl": CONVERSED},
    ),
    Report(
        "huggingface/trl#2538",
        "ppo-first",
        r"'logps/chosen': -?0\.0,",
        "truncation_mode|max_length",
        {"train.py": KEPT_END, "documents.jsonl": DOCUMENTS},
        changed(
            KEPT_END,
            ("    max_length=192,\n", "    max_length=192,\n    max_prompt_length=96,\n"),
        ),
    ),
    Report(
        "axolotl-ai-cloud/axolotl#2040",
        "current",
        "batches of one label only: 8 of 8",
        "shuffl|sequential|sorted|one label|order of",
        {"train.py": SORTED, "pairs.jsonl": MANY},
        changed(SORTED, ('half("rejected", False)])', 'half("rejected", False)]).shuffle(seed=7)')),
        level="",
    ),
    Report(
        "RLHFlow/RLHF-Reward-Modeling#49",
        "ppo-first",
        "chosen and rejected get one score: True",
        "pad.{0,60}eos|eos.{0,60}pad|pad_token",
        {"train.py": SCORED, "chosen.jsonl": CHOSEN},
        changed(
            SCORED,
            (
                "# Llama has no pad token\ntokenizer.pad_token = tokenizer.eos_token\n",
                "",
            ),
        ),
    ),
)
