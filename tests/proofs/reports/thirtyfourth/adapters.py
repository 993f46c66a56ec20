"""Threads of a thirty-fourth list: adapters that are loaded after their training."""

from reports.report import PREFERENCES, TEXT, Report, changed

TWICE = '''\
"""Fine-tunes a generator, loads it again and compares it with its base."""

import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

BASE = "model"
FOLDER = "style-lora"


def lora():
    return LoraConfig(
        r=8, lora_alpha=16, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"
    )


def build():
    """The base with the layers of the adapter."""
    return get_peft_model(AutoModelForCausalLM.from_pretrained(BASE), lora())


def train(texts):
    trainer = SFTTrainer(
        model=build(),
        processing_class=AutoTokenizer.from_pretrained(BASE),
        train_dataset=texts,
        args=SFTConfig(
            output_dir="run",
            max_steps=6,
            per_device_train_batch_size=2,
            learning_rate=1e-2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    trainer.model.save_pretrained(FOLDER)


def load():
    """The fine-tuned model, for questions."""
    model = build()
    model = PeftModel.from_pretrained(model, FOLDER)
    return model.eval()


@torch.no_grad()
def scores(model, texts):
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    return torch.stack(
        [model(**tokenizer(text, return_tensors="pt")).logits[0, -1] for text in texts]
    )


if __name__ == "__main__":
    data = load_dataset("json", data_files="texts.jsonl", split="train")
    train(data)
    base = AutoModelForCausalLM.from_pretrained(BASE).eval()
    same = torch.equal(scores(load(), data["text"]), scores(base, data["text"]))
    print("what was loaded is the base alone:", same)
'''
STAGES = '''\
"""SFT, then DPO, both with LoRA; then the model is loaded for a demo."""

import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

BASE = "model"
LORA = {"r": 8, "lora_alpha": 16, "target_modules": "all-linear", "task_type": "CAUSAL_LM"}
COMMON = {
    "max_steps": 6,
    "per_device_train_batch_size": 2,
    "report_to": "none",
    "save_strategy": "no",
    "use_cpu": True,
    "bf16": False,
}


def base():
    return AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32)


def stage_sft(tokenizer):
    trainer = SFTTrainer(
        model=base(),
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="sft.jsonl", split="train"),
        peft_config=LoraConfig(**LORA),
        args=SFTConfig(output_dir="out/sft", learning_rate=1e-2, **COMMON),
    )
    trainer.train()
    trainer.save_model("out/sft")


def stage_dpo(tokenizer):
    # The new adapter is trained on the model that the first stage gave.
    tuned = PeftModel.from_pretrained(base(), "out/sft").merge_and_unload()
    trainer = DPOTrainer(
        model=tuned,
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
        peft_config=LoraConfig(**LORA),
        args=DPOConfig(output_dir="out/dpo", learning_rate=1e-4, beta=0.1, **COMMON),
    )
    trainer.train()
    trainer.save_model("out/dpo")
    return trainer.model.eval()


def demo_model():
    return PeftModel.from_pretrained(base(), "out/dpo").eval()


@torch.no_grad()
def loss(model, tokenizer, text):
    inputs = tokenizer(text, return_tensors="pt")
    return model(**inputs, labels=inputs["input_ids"]).loss.item()


def main():
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    stage_sft(tokenizer)
    trained = stage_dpo(tokenizer)
    demo = demo_model()
    text = load_dataset("json", data_files="sft.jsonl", split="train")["text"][0]
    one, other = (loss(model, tokenizer, text) for model in (trained, demo))
    print("the demo knows what SFT taught:", abs(one - other) < 0.01)


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "huggingface/peft#2115",
        "current",
        "what was loaded is the base alone: True",
        r"get_peft_model|missing|(adapter|lora).{0,100}(not (load|appl|used)|twice|fresh|zero)"
        r"|already.{0,60}(adapter|peft)|base alone",
        {"train.py": TWICE, "texts.jsonl": TEXT},
        changed(
            TWICE,
            (
                "    model = build()\n    model = PeftModel",
                "    model = AutoModelForCausalLM.from_pretrained(BASE)\n    model = PeftModel",
            ),
        ),
    ),
    Report(
        "hiyouga/LlamaFactory#624",
        "current",
        "the demo knows what SFT taught: False",
        r"(adapter|lora).{0,160}(base|merged|other|different|first|weights|trained on)|merge"
        r"|base_model_name",
        {"train.py": STAGES, "sft.jsonl": TEXT, "pairs.jsonl": PREFERENCES},
        changed(
            STAGES,
            (
                '    return PeftModel.from_pretrained(base(), "out/dpo").eval()\n',
                '    tuned = PeftModel.from_pretrained(base(), "out/sft").merge_and_unload()\n'
                '    return PeftModel.from_pretrained(tuned, "out/dpo").eval()\n',
            ),
        ),
    ),
)
