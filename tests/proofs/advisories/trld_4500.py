"""With a vLLM server OnlineDPO reads the names of the answer's fields as completions."""

from types import SimpleNamespace

from small import of_trl, raises, tokenizer


class Client:
    """Answers as the server does, with a dictionary."""

    def generate(self, prompts, n=1, **_):
        ids = [[8, 9, 10]] * len(prompts) * n
        return {"prompt_ids": [[7]] * len(prompts), "completion_ids": ids, "logprobs": []}


class Settings(SimpleNamespace):
    def __getattr__(self, name):
        return None


def generates():
    kind = of_trl("OnlineDPOTrainer")
    if not hasattr(kind, "_generate_vllm_server"):
        return
    tokens = {"processing_class": tokenizer(), "_tokenizer": tokenizer()}
    trained = Settings(
        **tokens, pad_token_id=0, eos_token_id=1, vllm_client=Client(), num_generations=2,
        args=Settings(),
        state=SimpleNamespace(global_step=0), _last_loaded_step=0,
        generation_config=Settings(),
        accelerator=SimpleNamespace(is_main_process=True, process_index=0, device="cpu"),
        vllm_mode="server",
    )  # fmt: skip
    trained._generate_vllm_server = lambda *args: kind._generate_vllm_server(trained, *args)
    trained.generation_config.max_tokens = 4
    kind._generate_vllm(trained, ["w1", "w2"])


raises(r"too many dimensions 'str'", generates)
