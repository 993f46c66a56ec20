"""Threads of a thirty-sixth list: adapters, and the models that they are put on."""

from reports.report import CHATS, PREFERENCES, TEXT, Report, changed

UNLOADED = '''\
"""Fine-tunes with LoRA, and saves the merged model for the server."""

import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer


def train(tokenizer):
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
        peft_config=LoraConfig(r=8, target_modules="all-linear", task_type="CAUSAL_LM"),
        args=SFTConfig(
            output_dir="lora",
            max_steps=8,
            per_device_train_batch_size=2,
            learning_rate=1e-2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    return trainer.model


def merge_adapter(model, path):
    """Put the adapter into the weights of its model."""
    model = model.unload()
    model.save_pretrained(path)


@torch.no_grad()
def loss(model, tokenizer, text):
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    return model.eval()(input_ids=ids, labels=ids).loss.item()


def main():
    set_seed(2)
    tokenizer = AutoTokenizer.from_pretrained("model")
    merge_adapter(train(tokenizer), "merged")
    text = "What is seven times six? Forty-two."
    before, after = (
        loss(AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32), tokenizer, text)
        for path in ("model", "merged")
    )
    print(f"loss before {before:.3f}, after {after:.3f}; the same: {before == after}")


if __name__ == "__main__":
    main()
'''
SECOND = '''\
"""Step 1: SFT with LoRA. Step 2: DPO with LoRA on what step 1 gave. Step 3: ask the model."""

import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

BASE = "model"
LORA = LoraConfig(r=8, target_modules=["q_proj", "v_proj", "down_proj"], task_type="CAUSAL_LM")
COMMON = dict(
    per_device_train_batch_size=2,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)


def base():
    return AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32)


def sft(tokenizer):
    trainer = SFTTrainer(
        model=base(),
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="talks.jsonl", split="train"),
        peft_config=LORA,
        args=SFTConfig(output_dir="sft", max_steps=30, learning_rate=1e-2, **COMMON),
    )
    trainer.train()
    trainer.save_model("sft")


def rlhf(tokenizer):
    model = PeftModel.from_pretrained(base(), "sft").merge_and_unload()
    trainer = DPOTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
        peft_config=LORA,
        args=DPOConfig(output_dir="rlhf", max_steps=2, learning_rate=1e-4, **COMMON),
    )
    trainer.train()
    trainer.save_model("rlhf")


def load_for_inference():
    model = base()
    return PeftModel.from_pretrained(model, "rlhf").merge_and_unload().eval()


@torch.no_grad()
def loss(model, tokenizer, text):
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    return model(input_ids=ids, labels=ids).loss.item()


def main():
    set_seed(3)
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    sft(tokenizer)
    rlhf(tokenizer)
    talk = load_dataset("json", data_files="talks.jsonl", split="train")[0]["messages"]
    text = tokenizer.apply_chat_template(talk, tokenize=False)
    before, after = (loss(one, tokenizer, text) for one in (base(), load_for_inference()))
    print(f"loss at first {before:.2f}, now {after:.2f}; SFT is lost: {after > before - 0.1}")


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "huggingface/trl#386",
        "current",
        "the same: True",
        r"unload|merge",
        {"train.py": UNLOADED, "texts.jsonl": TEXT},
        changed(UNLOADED, ("model = model.unload()", "model = model.merge_and_unload()")),
    ),
    Report(
        "modelscope/ms-swift#7567",
        "current",
        "SFT is lost: True",
        r"'?sft'?.{0,80}(adapter|merge|load|lost|never)|adapter.{0,120}(merged|other weights|base)",
        {"train.py": SECOND, "talks.jsonl": CHATS, "pairs.jsonl": PREFERENCES},
        changed(
            SECOND,
            (
                "    model = base()\n",
                '    model = PeftModel.from_pretrained(base(), "sft").merge_and_unload()\n',
            ),
        ),
    ),
)
