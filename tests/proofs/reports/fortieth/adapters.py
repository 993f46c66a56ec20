"""Threads of a fortieth list: LoRA, given in two ways at once."""

from reports.report import CHATS, PREFERENCES, Report, changed

MISTRAL = '''\
"""A notebook: fine-tune a model with DPO and LoRA. The cells, one after the other."""

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model_name = "model"
new_model = "NeuralHermes"
tokenizer = AutoTokenizer.from_pretrained(model_name)
tokenizer.padding_side = "left"
dataset = load_dataset("json", data_files="pairs.jsonl")["train"]

peft_config = LoraConfig(
    r=16,
    lora_alpha=16,
    lora_dropout=0.05,
    bias="none",
    task_type="CAUSAL_LM",
    target_modules=["k_proj", "gate_proj", "v_proj", "up_proj", "q_proj", "o_proj", "down_proj"],
)

# Model to fine-tune
model = AutoModelForCausalLM.from_pretrained(model_name)
model.config.use_cache = False

# Reference model
ref_model = AutoModelForCausalLM.from_pretrained(model_name)

training_args = DPOConfig(
    per_device_train_batch_size=4,
    gradient_checkpointing=True,
    learning_rate=5e-5,
    lr_scheduler_type="cosine",
    max_steps=1,
    save_strategy="no",
    logging_steps=1,
    output_dir=new_model,
    beta=0.1,
    report_to="none",
    use_cpu=True,
    bf16=False,
)

# Create DPO trainer
dpo_trainer = DPOTrainer(
    model,
    ref_model,
    args=training_args,
    train_dataset=dataset,
    processing_class=tokenizer,
    peft_config=peft_config,
)
dpo_trainer.train()
dpo_trainer.model.save_pretrained("final_checkpoint")
'''
PLUGIN = '''\
"""A plugin of a workbench: LoRA, and then the trainer."""

from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def train_model(params):
    dataset = load_dataset("json", data_files=params["dataset"], split="train")
    model = AutoModelForCausalLM.from_pretrained(params["model_name"])
    tokenizer = AutoTokenizer.from_pretrained(params["model_name"])
    peft_config = LoraConfig(
        lora_alpha=params["lora_alpha"],
        lora_dropout=0.05,
        r=params["lora_r"],
        bias="none",
        task_type="CAUSAL_LM",
    )
    model = get_peft_model(model, peft_config)
    model.print_trainable_parameters()
    trainer = SFTTrainer(
        model=model,
        train_dataset=dataset,
        peft_config=peft_config,
        processing_class=tokenizer,
        args=SFTConfig(
            output_dir=params["output_dir"],
            per_device_train_batch_size=4,
            max_steps=1,
            learning_rate=params["learning_rate"],
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    trainer.save_model(output_dir=params["adaptor_output_dir"])


train_model(
    {
        "model_name": "model",
        "dataset": "chats.jsonl",
        "lora_alpha": 16,
        "lora_r": 8,
        "learning_rate": 1e-4,
        "output_dir": "out",
        "adaptor_output_dir": "adaptor",
    }
)
'''
REPORTS = (
    Report(
        "mlabonne/llm-course#44",
        "grpo-shapes",
        "ValueError: .*ref_model.*peft_config",
        r"ref_model|reference",
        {"train.py": MISTRAL, "pairs.jsonl": PREFERENCES},
        changed(
            MISTRAL,
            ("# Reference model\n"
             "ref_model = AutoModelForCausalLM.from_pretrained(model_name)\n\n", ""),
            ("    ref_model,\n", ""),
        ),
    ),
    Report(
        "transformerlab/transformerlab-app#1333",
        "current",
        "ValueError: .*peft_config",
        r"peft_config",
        {"train.py": PLUGIN, "chats.jsonl": CHATS},
        changed(PLUGIN, ("        peft_config=peft_config,\n", "")),
    ),
)  # fmt: skip
