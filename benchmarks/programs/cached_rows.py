import functools
import os
from pathlib import Path
import torch
from datasets import Dataset, interleave_datasets, load_dataset, load_from_disk
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig
from trl import DPOConfig, DPOTrainer

HERE = Path(__file__).resolve().parent
os.chdir(HERE)
CACHE = HERE / "prepared"
BATCH = int(os.environ.get("BATCH", "2"))


def template(row, tokenizer):
    prompt = [{"role": "user", "content": row["prompt"]}]
    return {
        "prompt": tokenizer.apply_chat_template(prompt, tokenize=False,
                                                add_generation_prompt=True),
        "chosen": row["chosen"] + tokenizer.eos_token,
        "rejected": row["rejected"] + tokenizer.eos_token,
    }


def prepared(tokenizer):
    if not CACHE.exists():
        rows = load_dataset("json", data_files=str(HERE / "pairs.jsonl"), split="train")
        rows = interleave_datasets([rows, rows.shuffle(seed=1)])
        rows = rows.map(functools.partial(template, tokenizer=tokenizer))
        rows.save_to_disk(str(CACHE))
    return load_from_disk(str(CACHE))


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    model = AutoModelForCausalLM.from_pretrained("model", attn_implementation="eager")
    model.generation_config = GenerationConfig(
        max_new_tokens=8, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id
    )
    rows = prepared(tokenizer)
    for batch in DataLoader(rows.select(range(4)), batch_size=2):
        assert len(batch["prompt"]) == 2
    config = DPOConfig(
        output_dir="dpo", use_cpu=True, bf16=False, max_steps=2, report_to="none", seed=7,
        per_device_train_batch_size=BATCH, gradient_accumulation_steps=4, learning_rate=5e-6,
        logging_first_step=True, save_strategy="no", loss_type="sigmoid", beta=0.1,
        remove_unused_columns=False, dataloader_num_workers=1,
    )
    trainer = DPOTrainer(
        model=model, ref_model=None, args=config, train_dataset=rows, processing_class=tokenizer
    )
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    trainer.train()
    moved = [name for name, weight in model.named_parameters()
             if not torch.equal(weight, before[name])]
    print(len(moved), "of", len(before), "weights moved")
    torch.save(model.state_dict(), HERE / "weights.pt")
    torch.load(HERE / "weights.pt", map_location="cpu", weights_only=True)
    with open(HERE / "log.txt", "a") as log:
        log.write(f"{trainer.state.global_step}\n")


if __name__ == "__main__":
    main()
