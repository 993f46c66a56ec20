"""Threads of a thirty-eighth list: layers that an adapter names, and that a model has."""

import json

from reports.report import CHAT_PROMPTS, PAIRS, PREFERENCES, TEXT, Report, changed, rows

SMALL = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "vocab_size": 320,
         "num_attention_heads": 2, "eos_token_id": 298, "pad_token_id": 299,
         "bos_token_id": None}  # fmt: skip
ONE_LAYER = json.dumps({"model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"], **SMALL})
ALPACA = rows(*({"instruction": a, "input": "", "output": b} for a, b in PAIRS))
TRAIN_SFT = '''\
"""LoRA on instructions: the options of train_sft, with the default layers."""

from datasets import load_dataset
from peft import LoraConfig, TaskType, get_peft_model
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model_args = {"model_name_or_path": "seven-b", "tokenizer": "model"}
finetuning_args = {"lora_rank": 8, "lora_alpha": 32.0, "lora_target": "q_proj,v_proj"}


def load_model_and_tokenizer():
    tokenizer = AutoTokenizer.from_pretrained(model_args["tokenizer"])
    config = AutoConfig.from_pretrained(model_args["model_name_or_path"])
    model = AutoModelForCausalLM.from_config(config)
    lora = LoraConfig(
        task_type=TaskType.CAUSAL_LM,
        r=finetuning_args["lora_rank"],
        lora_alpha=finetuning_args["lora_alpha"],
        target_modules=[name.strip() for name in finetuning_args["lora_target"].split(",")],
    )
    return get_peft_model(model, lora), tokenizer


def main():
    model, tokenizer = load_model_and_tokenizer()
    data = load_dataset("json", data_files="alpaca.jsonl", split="train")
    data = data.map(lambda row: {"prompt": row["instruction"], "completion": " " + row["output"]})
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=data.select_columns(["prompt", "completion"]),
        args=SFTConfig(
            output_dir="output",
            max_steps=1,
            per_device_train_batch_size=2,
            learning_rate=5e-5,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
COMMAND = '''\
"""GRPO with LoRA; the command of the shell script is a list here."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser, get_peft_config

COMMAND = """
--model_name_or_path model --dataset_name prompts.jsonl --output_dir output/run
--use_peft true --lora_r 4 --lora_alpha 32 --lora_dropout 0.1
--lora_target_modules q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj
--per_device_train_batch_size 4 --num_generations 4 --max_completion_length 8
--max_steps 1 --report_to none --save_strategy no --use_cpu true --bf16 false
"""


def format_reward(completions, **kwargs):
    contents = [completion[0]["content"] for completion in completions]
    return [1.0 if "<answer>" in text else len(set(text)) / 50 for text in contents]


def main(script_args, training_args, model_args):
    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        args=training_args,
        reward_funcs=[format_reward],
        train_dataset=load_dataset("json", data_files=script_args.dataset_name, split="train"),
        peft_config=get_peft_config(model_args),
    )
    trainer.train()


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
    main(*parser.parse_args_and_config(COMMAND.split()))
'''
NAMELESS = json.dumps({"model_type": "olmo2", "architectures": ["Olmo2ForCausalLM"], **SMALL})
COMMAND_SFT = '''\
"""What the command line does for supervised fine-tuning with LoRA."""

from datasets import load_dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import ModelConfig, SFTConfig, SFTTrainer, get_peft_config

model_args = ModelConfig(
    model_name_or_path="base",
    use_peft=True,
    lora_r=16,
    lora_alpha=16,
)
training_args = SFTConfig(
    output_dir="agentbank",
    learning_rate=2e-4,
    lr_scheduler_type="constant",
    per_device_train_batch_size=1,
    gradient_accumulation_steps=4,
    packing=False,
    max_length=128,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
config = AutoConfig.from_pretrained(model_args.model_name_or_path)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_config(config),
    args=training_args,
    train_dataset=load_dataset("json", data_files="mixture.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    peft_config=get_peft_config(model_args),
)
trainer.train()
'''
HYBRID = '''\
"""DPO with LoRA on a model that has a layer of attention among layers of Mamba."""

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj"]

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("nano"))
trainer = DPOTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    peft_config=LoraConfig(r=4, lora_alpha=8, target_modules=TARGETS, task_type="CAUSAL_LM"),
    args=DPOConfig(
        output_dir="nano-dpo",
        learning_rate=1e-4,
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
names = [name for name, weight in trainer.model.named_parameters() if weight.requires_grad]
layers = {name.split(".layers.")[1].split(".")[0] for name in names}
print(f"layers with an adapter: {len(layers)} of {model.config.num_hidden_layers}")
'''
NANO = json.dumps(
    {"model_type": "nemotron_h", "architectures": ["NemotronHForCausalLM"], **SMALL,
     "num_hidden_layers": 4, "layers_block_type": ["mamba", "mamba", "attention", "mamba"],
     "num_key_value_heads": 1, "head_dim": 32, "mamba_num_heads": 4, "mamba_head_dim": 16,
     "ssm_state_size": 16, "n_groups": 1, "chunk_size": 16}
)  # fmt: skip
ABSENT = r"(not|no).*(found|exist|match|layer|module)|target_modules|matches? no"
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#43",
        "current",
        r"Target modules .* not found in the base model",
        ABSENT,
        {"train.py": TRAIN_SFT, "seven-b/config.json": ONE_LAYER, "alpaca.jsonl": ALPACA},
        changed(TRAIN_SFT, ('"lora_target": "q_proj,v_proj"', '"lora_target": "query_key_value"')),
    ),
    Report(
        "om-ai-lab/VLM-R1#26",
        "grpo-shapes",
        r"Target modules .* not found in the base model",
        ABSENT,
        {"train.py": COMMAND, "prompts.jsonl": CHAT_PROMPTS},
        changed(
            COMMAND,
            (
                "q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj",
                "q_proj k_proj v_proj o_proj gate_proj up_proj down_proj",
            ),
        ),
    ),
    Report(
        "huggingface/trl#3427",
        "grpo-shapes",
        "Please specify `target_modules`",
        r"target_modules",
        {"train.py": COMMAND_SFT, "base/config.json": NAMELESS, "mixture.jsonl": TEXT},
        changed(
            COMMAND_SFT,
            ("    lora_r=16,\n", '    lora_r=16,\n    lora_target_modules=["q_proj", "v_proj"],\n'),
        ),
    ),
    Report(
        "huggingface/trl#6773",
        "current",
        "layers with an adapter: 1 of 4",
        r"gate_proj|mamba|in_proj|frozen",
        {"train.py": HYBRID, "nano/config.json": NANO, "pairs.jsonl": PREFERENCES},
        changed(HYBRID, ('"o_proj", "gate_proj"]', '"o_proj", "in_proj"]')),
    ),
)
