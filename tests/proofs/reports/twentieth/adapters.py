"""Threads of a twentieth list: adapters, and how they are loaded again."""

from reports.report import CHATS, TEXT, Report, changed

NEW_TOKENS = """\
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

BASE = "model"
ADAPTER = "gemma-tools"

tokenizer = AutoTokenizer.from_pretrained(BASE)
model = AutoModelForCausalLM.from_pretrained(BASE)
tokenizer.add_tokens(["<tool>", "</tool>"])
model.resize_token_embeddings(len(tokenizer))

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    peft_config=LoraConfig(
        r=16,
        lora_alpha=32,
        lora_dropout=0.05,
        target_modules=["q_proj", "v_proj"],
        task_type="CAUSAL_LM",
    ),
    args=SFTConfig(
        output_dir="out",
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
trainer.save_model(ADAPTER)

# the tuned model, as the service loads it
tokenizer = AutoTokenizer.from_pretrained(ADAPTER)
base = AutoModelForCausalLM.from_pretrained(BASE)
tuned = PeftModel.from_pretrained(base, ADAPTER)
inputs = tokenizer("Count to five.", return_tensors="pt")
print(tokenizer.decode(tuned.generate(**inputs, max_new_tokens=4)[0]))
"""
CONTINUED = """\
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

BASE = "model"
tokenizer = AutoTokenizer.from_pretrained(BASE)


def arguments(output_dir, **more):
    return SFTConfig(
        output_dir=output_dir,
        max_steps=1,
        per_device_train_batch_size=2,
        learning_rate=2e-4,
        gradient_checkpointing=False,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
        **more,
    )


def first_adapter(path):
    trainer = SFTTrainer(
        model=BASE,
        processing_class=tokenizer,
        args=arguments("zephyr", max_length=128),
        train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
        peft_config=LoraConfig(r=8, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"),
    )
    trainer.train()
    trainer.save_model(path)


first_adapter("checkpoint-zephyr")
model = AutoModelForCausalLM.from_pretrained(BASE)
model = PeftModel.from_pretrained(model, "checkpoint-zephyr", "bioinspired", False)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    args=arguments("bioinspired"),
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
)
trainer.train()
trainer.save_model("bioinspired")
"""
REPORTS = (
    Report(
        "huggingface/peft#2898",
        "current",
        "size mismatch for base_model",
        "resize_token_embeddings|resized?|rows of (the|its) embedding",
        {"train.py": NEW_TOKENS, "chats.jsonl": CHATS},
        changed(
            NEW_TOKENS,
            (
                "tuned = PeftModel",
                "base.resize_token_embeddings(len(tokenizer))\ntuned = PeftModel",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/peft#1340",
        "current",
        "element 0 of tensors does not require grad",
        "is_trainable|frozen|trainable",
        {"train.py": CONTINUED, "chats.jsonl": CHATS, "texts.jsonl": TEXT},
        changed(CONTINUED, ('"bioinspired", False)', '"bioinspired", is_trainable=True)')),
    ),
)
