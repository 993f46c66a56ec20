"""Threads of a forty-fourth list: a model without its head, and one with more tokens."""

import json

from laid import ROOT

from reports.report import CHATS, TEXT, Report, changed

HEADLESS = '''\
"""Fine-tuning of a converted model on plain text."""

from datasets import load_dataset
from transformers import AutoModel, AutoTokenizer
from trl import SFTConfig, SFTTrainer

path = "model"
tokenizer = AutoTokenizer.from_pretrained(path)
model = AutoModel.from_pretrained(path)

dataset = load_dataset("json", data_files="texts.jsonl", split="train")
trainer = SFTTrainer(
    model,
    args=SFTConfig(
        output_dir="finetuned",
        dataset_text_field="text",
        max_seq_length=128,
        per_device_train_batch_size=2,
        learning_rate=1e-5,
        max_steps=1,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
'''
WIDENED = '''\
"""A base model gets a chat format and an adapter; then the adapter is tried."""

from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer, setup_chat_format

BASE = "model"
model = AutoModelForCausalLM.from_pretrained(BASE)
tokenizer = AutoTokenizer.from_pretrained(BASE)

# Set up the chat format with default 'chatml' format
model, tokenizer = setup_chat_format(model, tokenizer)

trainer = SFTTrainer(
    model=model,
    args=SFTConfig(
        output_dir="chat-adapter",
        per_device_train_batch_size=2,
        learning_rate=2e-4,
        max_length=256,
        max_steps=2,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
    ),
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    processing_class=tokenizer,
    peft_config=LoraConfig(
        r=8,
        lora_alpha=16,
        target_modules=["q_proj", "v_proj"],
        modules_to_save=["embed_tokens", "lm_head"],
        task_type="CAUSAL_LM",
    ),
)
trainer.train()
trainer.save_model("chat-adapter")
tokenizer.save_pretrained("chat-adapter")

tokenizer = AutoTokenizer.from_pretrained("chat-adapter")
base = AutoModelForCausalLM.from_pretrained(BASE)
tuned = PeftModel.from_pretrained(base, "chat-adapter")
asked = [{"role": "user", "content": "What is seven times six?"}]
ids = tokenizer.apply_chat_template(asked, add_generation_prompt=True, return_tensors="pt")
print(tokenizer.decode(tuned.generate(input_ids=ids, max_new_tokens=8)[0]))
'''
FOLDER = ROOT / "fixtures/models/healthy"
NAMES = {"<|im_start|>": "<s>", "<|im_end|>": "</s>", "<|endoftext|>": "<unk>"}


def renamed(text: str) -> str:
    """A tokenizer's file with the special tokens of another family."""
    for of, name in NAMES.items():
        text = text.replace(of, name)
    return text


SETTINGS = json.loads(renamed((FOLDER / "tokenizer_config.json").read_text()))
BASE = {
    "model/tokenizer.json": renamed((FOLDER / "tokenizer.json").read_text()),
    "model/tokenizer_config.json": json.dumps(
        {key: value for key, value in SETTINGS.items() if key != "chat_template"}
    ),
}
REPORTS = (
    Report(
        "EleutherAI/gpt-neox#1142",
        "ppo-first",
        "unexpected keyword argument 'labels'",
        r"AutoModel\b|ForCausalLM|language[- ]model(l?ing)? head|lm_head|without a head",
        {"train.py": HEADLESS, "texts.jsonl": TEXT},
        changed(HEADLESS, ("AutoModel,", "AutoModelForCausalLM,"),
                ("= AutoModel.", "= AutoModelForCausalLM.")),
    ),
    Report(
        "huggingface/trl#1465",
        "grpo-shapes",
        "size mismatch for",
        r"setup_chat_format|resiz|embed_tokens|vocab",
        {"train.py": WIDENED, "chats.jsonl": CHATS, **BASE},
        changed(
            WIDENED,
            ("base = AutoModelForCausalLM.from_pretrained(BASE)\n",
             "base = AutoModelForCausalLM.from_pretrained(BASE)\n"
             "base.resize_token_embeddings(len(tokenizer))\n"),
        ),
    ),
)  # fmt: skip
