"""Threads of a forty-second list: what an adapter reaches, and how it is loaded."""

import json

from reports.report import CHATS, PREFERENCES, PROMPTS, Report, changed

NAMED = '''\
"""GRPO with LoRA on the attention and the MLP."""

from datasets import load_dataset
from peft import LoraConfig
from trl import GRPOConfig, GRPOTrainer

TARGETS = ["q_proj", "k_proj", "v_proj", "attn_out", "ff_proj", "up_proj"]


def brief(completions, **kwargs):
    return [-len(completion) / 100 for completion in completions]


trainer = GRPOTrainer(
    model="model",
    reward_funcs=brief,
    args=GRPOConfig(
        output_dir="grpo",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=16,
        learning_rate=3e-6,
        beta=0.04,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
    peft_config=LoraConfig(
        r=128,
        lora_alpha=64,
        target_modules=TARGETS,
        task_type="CAUSAL_LM",
        lora_dropout=0.05,
    ),
)
trainer.train()
names = [name for name, _ in trainer.model.named_parameters() if "lora_" in name]
adapted = {name.split(".lora_")[0].rsplit(".", 1)[-1] for name in names}
print("modules that are named and adapted:", sorted(adapted))
print("each named module is adapted:", adapted == set(TARGETS))
'''
HYBRID = {
    "architectures": ["NemotronHForCausalLM"],
    "model_type": "nemotron_h",
    "vocab_size": 320,
    "hidden_size": 64,
    "intermediate_size": 64,
    "layers_block_type": ["mamba", "mlp", "mamba", "mlp", "mamba", "attention", "mamba", "mlp"],
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 32,
    "mamba_num_heads": 4,
    "mamba_head_dim": 16,
    "ssm_state_size": 16,
    "n_groups": 1,
    "chunk_size": 32,
    "eos_token_id": 298,
    "pad_token_id": 299,
    "bos_token_id": 298,
}
LAYERS = '''\
"""DPO with LoRA of a model that is mostly Mamba layers."""

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("nemotron-h"))
trainer = DPOTrainer(
    model=model,
    args=DPOConfig(
        output_dir="dpo",
        per_device_train_batch_size=2,
        learning_rate=5e-6,
        beta=0.1,
        max_length=64,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    processing_class=tokenizer,
    peft_config=LoraConfig(
        r=16,
        lora_alpha=32,
        target_modules=["q_proj", "k_proj", "v_proj", "o_proj"],
        task_type="CAUSAL_LM",
    ),
)
trainer.model.print_trainable_parameters()
trainer.train()
names = [name for name, _ in trainer.model.named_parameters() if "lora_A" in name]
reached = {name.split("layers.")[1].split(".")[0] for name in names}
share = len(reached) / model.config.num_hidden_layers
print(f"layers with an adapter: {share:.0%}")
print("the adapter reaches half of the layers:", share >= 0.5)
'''
LOADED = '''\
"""LoRA fine-tuning in ChatML, with a trained head, and a look at what was learnt."""

from datasets import load_dataset
from peft import AutoPeftModelForCausalLM, LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer, setup_chat_format

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.chat_template = None
model = AutoModelForCausalLM.from_pretrained("model")
model, tokenizer = setup_chat_format(model, tokenizer)
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(
        output_dir="sft",
        per_device_train_batch_size=2,
        learning_rate=2e-4,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="capybara.jsonl", split="train"),
    processing_class=tokenizer,
    peft_config=LoraConfig(
        r=32,
        lora_alpha=16,
        target_modules="all-linear",
        modules_to_save=["lm_head", "embed_tokens"],
        task_type="CAUSAL_LM",
    ),
)
trainer.train()
trainer.save_model("sft/adapter")

model = AutoPeftModelForCausalLM.from_pretrained("sft/adapter")
asked = [{"role": "user", "content": "What is seven times six?"}]
ids = tokenizer.apply_chat_template(
    asked, add_generation_prompt=True, return_tensors="pt", return_dict=True
)
print(tokenizer.decode(model.generate(**ids, max_new_tokens=8)[0]))
'''
BY_HAND = """\
base = AutoModelForCausalLM.from_pretrained("model")
base.resize_token_embeddings(len(tokenizer))
model = PeftModel.from_pretrained(base, "sft/adapter")
"""
REPORTS = (
    Report(
        "dllm-reasoning/d1#6",
        "current",
        "each named module is adapted: False",
        r"target_modules|attn_out|ff_proj",
        {"train.py": NAMED, "prompts.jsonl": PROMPTS},
        changed(
            NAMED,
            ('["q_proj", "k_proj", "v_proj", "attn_out", "ff_proj", "up_proj"]',
             '["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj"]'),
        ),
    ),
    Report(
        "huggingface/peft#3554",
        "current",
        "the adapter reaches half of the layers: False",
        r"target_modules|mamba|in_proj|of (its|the) layers|layers? without",
        {
            "train.py": LAYERS,
            "pairs.jsonl": PREFERENCES,
            "nemotron-h/config.json": json.dumps(HYBRID),
        },
        changed(
            LAYERS,
            ('["q_proj", "k_proj", "v_proj", "o_proj"]',
             '["q_proj", "k_proj", "v_proj", "o_proj", "in_proj"]'),
        ),
    ),
    Report(
        "huggingface/peft#2415",
        "grpo-shapes",
        "size mismatch",
        r"vocabulary|resiz|size mismatch|AutoPeftModel|setup_chat_format",
        {"train.py": LOADED, "capybara.jsonl": CHATS},
        changed(
            LOADED,
            ('model = AutoPeftModelForCausalLM.from_pretrained("sft/adapter")\n', BY_HAND),
        ),
    ),
)  # fmt: skip
