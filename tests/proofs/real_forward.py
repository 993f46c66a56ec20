"""One GRPO step on random weights for ./model/config.json: `python real_forward.py`.

An environment's interpreter runs it in the candidate's folder. Prints what the step raised, or
null, as JSON in its last line.
"""

import json
import tempfile


def step():
    """Make the weights, and train one step with them."""
    import torch
    import transformers
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    torch.set_num_threads(1)
    config = transformers.AutoConfig.from_pretrained("model", trust_remote_code=True)
    model = transformers.AutoModelForCausalLM.from_config(config, trust_remote_code=True).float()
    tokenizer = transformers.AutoTokenizer.from_pretrained("model", padding_side="left")
    arguments = GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        use_cpu=True,
        bf16=False,
        report_to=[],
        save_strategy="no",
        max_steps=1,
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        gradient_checkpointing=False,
    )
    GRPOTrainer(
        model=model,
        reward_funcs=lambda completions, **_: [float(n) for n in range(len(completions))],
        args=arguments,
        processing_class=tokenizer,
        train_dataset=Dataset.from_dict({"prompt": ["What is seven times six?"] * 4}),
    ).train()


if __name__ == "__main__":
    try:
        step()
        said = None
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    print("\n" + json.dumps(said))
