"""One GRPO step on random weights for ./model/config.json: `python real_forward.py`.

An environment's interpreter runs it in the candidate's folder. Prints what the step raised, or
null, as JSON in its last line. `python real_forward.py losses` reads further arguments and prints
the losses of an SFT batch instead: [that of the trainer, that of the model's own logits].
"""

import copy
import json
import sys
import tempfile

SHARPER = 100.0
"""As far apart are the logits of a trained model, against those of a random one."""


def random_model():
    """A model with random weights, and the tokenizer."""
    import torch
    import transformers

    torch.set_num_threads(1)
    torch.manual_seed(0)
    config = transformers.AutoConfig.from_pretrained("model", trust_remote_code=True)
    model = transformers.AutoModelForCausalLM.from_config(config, trust_remote_code=True).float()
    return model, transformers.AutoTokenizer.from_pretrained("model", padding_side="left")


def losses(more):
    """The mean loss of a batch: by SFTTrainer, and by the logits of an untouched copy."""
    import torch
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    model, tokenizer = random_model()
    model.get_output_embeddings().weight.data.mul_(SHARPER)
    own = copy.deepcopy(model).eval()
    trainer = SFTTrainer(
        model=model,
        args=SFTConfig(
            output_dir=tempfile.mkdtemp(), use_cpu=True, bf16=False, report_to=[], **more
        ),
        processing_class=tokenizer,
        train_dataset=Dataset.from_dict({"text": ["What is seven times six? It is 42."] * 2}),
    )
    batch = next(iter(trainer.get_train_dataloader()))
    with torch.no_grad():
        loss = trainer.compute_loss(trainer.model.eval(), dict(batch))
        logits = own(batch["input_ids"], attention_mask=batch["attention_mask"]).logits
    labels = batch["labels"][:, 1:]
    wanted = torch.nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), labels)
    return [float(loss), float(wanted)]


def step():
    """Train one step."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    model, tokenizer = random_model()
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
        result = losses(json.load(sys.stdin)) if sys.argv[1:] == ["losses"] else step()
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    print("\n" + json.dumps(result))
