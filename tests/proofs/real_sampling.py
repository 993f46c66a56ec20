"""What a run samples and learns: `python real_sampling.py`, a request on stdin, the answer last.

An environment's interpreter runs it in the candidate's folder. The answer's `error` is what the
library raised, None where it raised nothing.
"""

import inspect
import json
import os
import sys
import tempfile

from real import arguments, train, trainer_of, use_free_port

SAMPLED = ("temperature", "top_p", "top_k", "repetition_penalty")
ANSWER = "one, two, three"
TALK = [{"role": "user", "content": "Count to three"}, {"role": "assistant", "content": ANSWER}]


def sample(request):
    """One GRPO step: what the policy sampled with, and how many answers of a group differ."""
    from transformers.generation.utils import GenerationMixin

    seen, whole = [], GenerationMixin._sample

    def watched(self, ids, *args, generation_config, **more):
        out = whole(self, ids, *args, generation_config=generation_config, **more)
        sampling = {key: getattr(generation_config, key) for key in SAMPLED}
        rows = getattr(out, "sequences", out).tolist()
        seen.append({"with": sampling, "different": len({tuple(row) for row in rows})})
        return out

    GenerationMixin._sample = watched
    train(request)
    return seen[0]


def learn(request):
    """SFT of one conversation: the text with labels, the adapted modules, the share that moved.

    `moved` is the share of the weights in matrices that ten steps changed.
    """
    import torch
    from datasets import Dataset

    run = request["run"]
    trainer, config = trainer_of("sft")
    instance = trainer(
        model=run["model_name_or_path"],
        args=arguments(config, run),
        train_dataset=Dataset.from_list([{"messages": TALK}] * 4),
        peft_config=adapter(run),
    )
    batch = next(iter(instance.get_train_dataloader()))
    labelled = batch["input_ids"][0][batch["labels"][0] != -100]
    weights = {
        name: parameter.detach().clone()
        for name, parameter in instance.model.named_parameters()
        if parameter.requires_grad and parameter.dim() == 2
    }
    instance.train()
    now = dict(instance.model.named_parameters())
    moved = torch.cat([(now[name] != weight).flatten() for name, weight in weights.items()])
    return {
        "labelled": instance.processing_class.decode(labelled),
        "adapted": sorted({name.split(".")[-4] for name in weights if ".lora_A." in name}),
        "moved": moved.float().mean().item(),
    }


def adapter(run):
    """What `trl sft --config` makes of the run's adapter; None where it has none."""
    if not run.get("use_peft"):
        return None
    from trl import ModelConfig, TrlParser, get_peft_config

    taken = inspect.signature(ModelConfig.__init__).parameters
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump({key: value for key, value in run.items() if key in taken}, file)
        file.flush()
        (model,) = TrlParser((ModelConfig,)).parse_args_and_config(["--config", file.name])
    return get_peft_config(model)


def score(request):
    """One PPO step with a reward of zero: the score that is left after the penalty."""
    import torch
    from transformers import AutoModelForSequenceClassification

    name = request["run"]["reward_model_path"]
    judge = AutoModelForSequenceClassification.from_pretrained(name, num_labels=1)
    torch.nn.init.zeros_(judge.score.weight)
    judge.save_pretrained(name)
    return {"score": train(request)["log"][0]["objective/scores"]}


def ratio(request):
    """One GRPO step with the colocated engine: the importance ratio, and the gradient's norm."""
    use_free_port()
    import torch
    from datasets import Dataset
    from vllm.model_executor.layers.linear import UnquantizedLinearMethod

    # The CPU engine packs weights when it has loaded them, and then takes no others.
    UnquantizedLinearMethod.process_weights_after_loading = lambda self, layer: setattr(
        layer, "cpu_linear", torch.nn.functional.linear
    )
    run = request["run"]
    trainer, config = trainer_of("grpo")
    grow(run["model_name_or_path"])
    instance = trainer(
        model=run["model_name_or_path"],
        args=arguments(config, run),
        reward_funcs=lambda completions, **_: [float(n % 3) for n in range(len(completions))],
        train_dataset=Dataset.from_dict({"prompt": [TALK[:1]] * 8}),
    )
    instance.train()
    log = instance.state.log_history[0]
    mean = log.get("sampling/importance_sampling_ratio/mean")
    return {"ratio": mean, "gradient": log["grad_norm"]}


def grow(name):
    """Write a model over the candidate's that is wide enough for the CPU engine."""
    import torch
    from transformers import AutoTokenizer, Qwen2Config, Qwen2ForCausalLM

    tokenizer = AutoTokenizer.from_pretrained(name)
    config = Qwen2Config(
        vocab_size=320,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=512,
        tie_word_embeddings=False,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.2,
    )
    torch.manual_seed(0)
    Qwen2ForCausalLM(config).to(torch.bfloat16).save_pretrained(name)


def main():
    """Answer the request; whatever the libraries print goes to stderr."""
    answer = os.dup(1)
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    ask = {"sample": sample, "learn": learn, "score": score, "ratio": ratio}[request["ask"]]
    try:
        result = {"error": None, **ask(request)}
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    with os.fdopen(answer, "w") as out:
        json.dump(result, out, default=str)


if __name__ == "__main__":
    main()
