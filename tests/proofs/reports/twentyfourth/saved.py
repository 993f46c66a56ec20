"""Threads of a twenty-fourth list: an adapter that is saved, loaded and merged."""

from reports.report import PAIRS, Report, changed, rows

MERGE = """\
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

BASE = "model"
ADAPTER = "output/llama_lora"
MERGED = "output/llama_lora_merged"
ROLES = [f"<|{name}{n}|>" for name in ("user", "assistant", "system", "tool") for n in range(8)]


def finetune():
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    tokenizer.add_special_tokens({"additional_special_tokens": ROLES})
    model = AutoModelForCausalLM.from_pretrained(BASE)
    model.resize_token_embeddings(len(tokenizer))
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="tulu.jsonl", split="train"),
        peft_config=LoraConfig(
            r=8,
            lora_alpha=16,
            target_modules=["q_proj", "k_proj", "v_proj", "o_proj"],
            task_type="CAUSAL_LM",
        ),
        args=SFTConfig(
            output_dir=ADAPTER,
            max_steps=3,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    trainer.save_model(ADAPTER)
    tokenizer.save_pretrained(ADAPTER)


def merge():
    base_model = AutoModelForCausalLM.from_pretrained(BASE)
    tokenizer = AutoTokenizer.from_pretrained(ADAPTER)

    print("Loading the lora model...")
    lora_model = PeftModel.from_pretrained(base_model, ADAPTER)
    if len(tokenizer) > base_model.get_input_embeddings().weight.shape[0]:
        print("Resizing the token embeddings of the merged model...")
        base_model.resize_token_embeddings(len(tokenizer))
    merged = lora_model.merge_and_unload()
    merged.save_pretrained(MERGED)
    tokenizer.save_pretrained(MERGED)


finetune()
merge()
"""
UNWRAPPED = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
config = LoraConfig(
    r=16,
    lora_alpha=16,
    target_modules=["q_proj", "v_proj"],
    lora_dropout=0.1,
    bias="none",
    task_type="CAUSAL_LM",
)
lora_model = get_peft_model(model, config)
lora_model.print_trainable_parameters()

args = SFTConfig(
    output_dir="finetuned-lora",
    max_steps=4,
    learning_rate=5e-3,
    per_device_train_batch_size=2,
    logging_steps=2,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=load_dataset("json", data_files="train.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model("finetuned-lora")

probe = tokenizer("What is seven times six?", return_tensors="pt")
with torch.no_grad():
    here = trainer.model.eval()(**probe).logits
    loaded = AutoModelForCausalLM.from_pretrained("finetuned-lora", dtype=torch.float32)
    there = loaded.eval()(**probe).logits
same = torch.allclose(here, there, atol=1e-4)
print("the saved model gives", "the same" if same else "something else")
"""
TEXTS = rows(*({"text": f"{a} {b}<|im_end|>"} for a, b in PAIRS))
REPORTS = (
    Report(
        "allenai/open-instruct#142",
        "current",
        "size mismatch for",
        r"resize_token_embeddings|size mismatch|vocab|embedding",
        {"train.py": MERGE, "tulu.jsonl": TEXTS},
        changed(
            MERGE,
            (
                '    print("Loading the lora model...")\n'
                "    lora_model = PeftModel.from_pretrained(base_model, ADAPTER)\n",
                "",
            ),
            (
                "    merged = lora_model",
                '    print("Loading the lora model...")\n'
                "    lora_model = PeftModel.from_pretrained(base_model, ADAPTER)\n"
                "    merged = lora_model",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/peft#536",
        "current",
        "the saved model gives something else",
        r"get_peft_model|lora_model|adapter|PeftModel|base_layer",
        {"train.py": UNWRAPPED, "train.jsonl": TEXTS},
        changed(
            UNWRAPPED,
            ("    model=model,\n    args", "    model=lora_model,\n    args"),
        ),
        level="",
    ),
)
