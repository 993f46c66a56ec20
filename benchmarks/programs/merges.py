import json
import os
import shutil
import tempfile
from pathlib import Path
import torch
from datasets import Dataset
from peft import AutoPeftModelForCausalLM, LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer
OUT = Path("results") / "run"
if OUT.exists():
    shutil.rmtree(OUT)
OUT.mkdir(parents=True)
device = "cuda" if torch.cuda.is_available() else "cpu"
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model").to(device)
model = get_peft_model(model, LoraConfig(r=4, target_modules=["q_proj", "v_proj"]))
model.print_trainable_parameters()


def rows():
    for line in open("talk.jsonl"):
        yield json.loads(line)


data = Dataset.from_generator(rows)
data = data.map(
    lambda batch: {"text": [tokenizer.apply_chat_template(m, tokenize=False)
                            for m in batch["messages"]]},
    batched=True, num_proc=2, remove_columns=["messages"],
)
trainer = SFTTrainer(
    model, SFTConfig(str(OUT), use_cpu=device == "cpu", bf16=False, max_steps=3, report_to="none",
                     dataset_text_field="text", max_length=64),
    train_dataset=data, processing_class=tokenizer,
)
trainer.train()
trainer.model.save_pretrained(OUT / "adapter")
tokenizer.save_pretrained(OUT / "adapter")
base = AutoModelForCausalLM.from_pretrained("model")
merged = PeftModel.from_pretrained(base, str(OUT / "adapter")).merge_and_unload()
merged.save_pretrained(OUT / "merged", safe_serialization=True)
tokenizer.save_pretrained(OUT / "merged")
AutoPeftModelForCausalLM.from_pretrained(str(OUT / "adapter"))
again = AutoModelForCausalLM.from_pretrained(str(OUT / "merged")).eval()
asked = tokenizer("Question 1?", return_tensors="pt").to(again.device)
with torch.no_grad():
    answer = again.generate(**asked, max_new_tokens=5)
print(tokenizer.decode(answer[0], skip_special_tokens=True))
with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
    json.dump({"steps": trainer.state.global_step}, file)
os.replace(file.name, OUT / "done.json")
(OUT / "model_card.md").write_text("# Model")
