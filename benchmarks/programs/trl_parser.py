from dataclasses import dataclass, field
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, ModelConfig, ScriptArguments, TrlParser, get_peft_config


@dataclass
class Own(ScriptArguments):
    share: float = field(default=1.0, metadata={"help": "share of the rows"})


def main(script, training, model_args):
    model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    rows = load_dataset("json", data_files=script.dataset_name)[script.dataset_train_split]
    rows = rows.select(range(int(len(rows) * script.share)))
    trainer = DPOTrainer(
        model, args=training, train_dataset=rows, eval_dataset=rows.select(range(4)),
        processing_class=tokenizer, peft_config=get_peft_config(model_args),
    )
    trainer.train()
    metrics = trainer.evaluate()
    trainer.log_metrics("eval", metrics)
    trainer.save_model(training.output_dir)
    if training.push_to_hub:
        trainer.push_to_hub(dataset_name=script.dataset_name)


if __name__ == "__main__":
    parser = TrlParser((Own, DPOConfig, ModelConfig))
    words = (
        "--model_name_or_path model --dataset_name talks.jsonl --output_dir out --max_steps 3 "
        "--learning_rate 5e-5 --per_device_train_batch_size 2 --use_cpu true --bf16 false "
        "--use_peft --lora_r 4 --lora_target_modules q_proj v_proj --report_to none --beta 0.2"
    ).split()
    main(*parser.parse_args_and_config(args=words)[:3])
