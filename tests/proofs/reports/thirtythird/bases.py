"""Threads of a thirty-third list: models that an adapter is put on."""

from reports.report import PAIRS, TEXT, Report, changed, rows

REVIEWS = rows(*({"review": f"{asked} {said}", "stars": len(said) % 5} for asked, said in PAIRS))
SAME = '''\
"""Did the fine-tuning on the reviews change anything? Compares the adapter with its base."""

from dataclasses import dataclass, field

import torch
from datasets import load_dataset
from peft import LoraConfig, PeftConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import SFTConfig, SFTTrainer


@dataclass
class ModelArguments:
    model_name: str = field(default="model")
    final_model: str = field(default="peft_done")
    prompts: str = field(default="reviews.jsonl")


def train(arguments):
    reviews = load_dataset("json", data_files=arguments.prompts, split="train")
    reviews = reviews.rename_column("review", "text").remove_columns("stars")
    trainer = SFTTrainer(
        model=arguments.model_name,
        train_dataset=reviews,
        peft_config=LoraConfig(r=8, lora_alpha=64, target_modules="all-linear"),
        args=SFTConfig(
            output_dir="imdb",
            max_steps=8,
            learning_rate=2e-2,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    trainer.model.save_pretrained(arguments.final_model)


def logits_of(model, tokenizer, texts):
    with torch.no_grad():
        return [model(**tokenizer(text, return_tensors="pt")).logits[0, -1] for text in texts]


if __name__ == "__main__":
    (model_args,) = HfArgumentParser(ModelArguments).parse_args_into_dataclasses(args=[])
    train(model_args)
    config = PeftConfig.from_pretrained(model_args.final_model)
    tokenizer = AutoTokenizer.from_pretrained(config.base_model_name_or_path)
    base_model = AutoModelForCausalLM.from_pretrained(config.base_model_name_or_path).eval()
    model = PeftModel.from_pretrained(base_model, model_args.final_model).eval()

    texts = load_dataset("json", data_files=model_args.prompts, split="train")["review"]
    tuned = logits_of(model, tokenizer, texts)
    base = logits_of(model.get_base_model(), tokenizer, texts)
    equal = all(torch.equal(a, b) for a, b in zip(tuned, base))
    print("the adapter changes nothing:", equal)
'''
BARE = """\
import gc

import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class Shared:
    model = None
    tokenizer = None
    lora_names = []


shared = Shared()


def load_model(name):
    shared.tokenizer = AutoTokenizer.from_pretrained(name)
    shared.model = AutoModelForCausalLM.from_pretrained(name).eval()


def add_lora_to_model(lora_names):
    if len(lora_names) == 0 and shared.lora_names:
        # Back to the model without a LoRA.
        shared.model.disable_adapter()
        shared.model = shared.model.base_model.model
        shared.lora_names = []
        gc.collect()
        return
    if len(lora_names) > 0:
        print(f"Adding the LoRA {lora_names[0]} to the model...")
        shared.model = PeftModel.from_pretrained(shared.model, f"loras/{lora_names[0]}").eval()
        shared.lora_names = list(lora_names)


@torch.no_grad()
def likelihood(text):
    inputs = shared.tokenizer(text, return_tensors="pt")
    return shared.model(**inputs, labels=inputs["input_ids"]).loss.item()


texts = load_dataset("json", data_files="texts.jsonl", split="train")
trainer = SFTTrainer(
    model="model",
    train_dataset=texts,
    peft_config=LoraConfig(r=8, lora_alpha=64, target_modules=["q_proj", "v_proj", "o_proj"]),
    args=SFTConfig(
        output_dir="run",
        max_steps=8,
        learning_rate=2e-2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
trainer.save_model("loras/ab-test")

load_model("model")
probe = texts[2]["text"]
before = likelihood(probe)
add_lora_to_model(["ab-test"])
with_lora = likelihood(probe)
add_lora_to_model([])
without = likelihood(probe)
print("still as with the LoRA:", abs(without - with_lora) < 1e-6 < abs(before - with_lora))
"""
IN_PLACE = (
    r"get_base_model|in.?place|disable_adapter|same (model|object|layers?|modules?)"
    r"|(adapter|lora).{0,80}(still|stay|remain|applied|active)|context manager|\bwith\b.{0,20}block"
)
REPORTS = (
    Report(
        "huggingface/peft#515",
        "current",
        "the adapter changes nothing: True",
        IN_PLACE,
        {"train.py": SAME, "reviews.jsonl": REVIEWS},
        changed(
            SAME,
            (
                "    base = logits_of(model.get_base_model(), tokenizer, texts)\n",
                "    with model.disable_adapter():\n"
                "        base = logits_of(model, tokenizer, texts)\n",
            ),
        ),
    ),
    Report(
        "huggingface/peft#430",
        "current",
        "still as with the LoRA: True",
        IN_PLACE,
        {"train.py": BARE, "texts.jsonl": TEXT},
        changed(
            BARE,
            (
                "        shared.model.disable_adapter()\n"
                "        shared.model = shared.model.base_model.model\n",
                "        shared.model = shared.model.unload()\n",
            ),
        ),
    ),
)
