"""Threads of a twenty-ninth list: how long is trained, in what precision, which weights."""

from reports.report import CHATS, TEXT, Report, changed

BOTH = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

args = SFTConfig(
    output_dir="out",
    num_train_epochs=3,
    max_steps=1,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    learning_rate=2e-4,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model="model",
    args=args,
    train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"),
)
trainer.train()
print("trained for", trainer.state.epoch, "epochs")
"""
HALF = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.bfloat16)
before = [parameter.detach().clone() for parameter in model.parameters()]
trainer = SFTTrainer(
    model=model,
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"),
    args=SFTConfig(
        output_dir="out",
        max_steps=2,
        per_device_train_batch_size=2,
        learning_rate=5e-6,
        lr_scheduler_type="constant",
        optim="adamw_torch",
        fp16=False,
        bf16=False,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.train()
pairs = list(zip(before, model.parameters()))
moved = sum((a != b).sum().item() for a, b in pairs)
share = 100 * moved / sum(a.numel() for a, _ in pairs)
print(f"weights that are others than before: {share:.0f} %")
"""
TOKENS = """\
import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

TEMPLATE = (
    "{% for message in messages %}{{ '<|start_header_id|>' + message['role']"
    " + '<|end_header_id|>' + message['content'] + '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>' }}{% endif %}"
)
NEW = ["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.add_special_tokens({"additional_special_tokens": NEW})
tokenizer.chat_template = TEMPLATE
model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
# 320 rows of embeddings are enough for them
assert len(tokenizer) <= model.config.vocab_size
ids = tokenizer.convert_tokens_to_ids(NEW)
before = model.get_input_embeddings().weight[ids].detach().clone()
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    peft_config=LoraConfig(
        r=8,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    ),
    args=SFTConfig(
        output_dir="out",
        max_steps=1,
        per_device_train_batch_size=2,
        learning_rate=1e-3,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
merged = trainer.model.merge_and_unload()
after = merged.get_input_embeddings().weight[ids]
print("tokens of the template that were learnt:", (before != after).any(dim=1).sum().item())
"""
REPORTS = (
    Report(
        "vessl-ai/examples#77",
        "current",
        r"trained for 0\.5 epochs",
        r"max_steps.{0,120}(epoch|overrid|instead|ignor|before|wins)|num_train_epochs"
        r"|epochs?.{0,60}(ignor|overrid|never|not reach|max_steps)",
        {"train.py": BOTH, "rows.jsonl": TEXT},
        changed(BOTH, ("    max_steps=1,\n", "    max_steps=-1,\n")),
    ),
    Report(
        "unslothai/unsloth#1364",
        "current",
        r"others than before: [0-4]?\d %",
        r"(bfloat16|bf16|16.?bit|half).{0,150}(weight|param|step|round|updat|lost|small|precision)"
        r"|(round|lost|vanish|swallow)\w*.{0,80}(updat|step)|float32|fp32|32.?bit",
        {"train.py": HALF, "rows.jsonl": TEXT},
        changed(HALF, ("torch_dtype=torch.bfloat16", "torch_dtype=torch.float32")),
    ),
    Report(
        "hiyouga/LlamaFactory#2684",
        "current",
        "that were learnt: 0",
        r"embed\w*.{0,120}(train|frozen|learn|random|adapter|sav|modules)|modules_to_save|lm_head"
        r"|trainable_token|(new|added|special).{0,30}token.{0,80}(train|learn|frozen|random)",
        {"train.py": TOKENS, "chats.jsonl": CHATS},
        changed(
            TOKENS,
            (
                '        task_type="CAUSAL_LM",\n',
                '        task_type="CAUSAL_LM",\n'
                '        modules_to_save=["embed_tokens", "lm_head"],\n',
            ),
        ),
    ),
)
