"""With a vLLM server the pairs of OnlineDPO are single tokens, of half of the prompts."""

from types import SimpleNamespace

from small import of_trl, tokenizer, verdict


class Client:
    """Answers as the server does: a flat list, n completions a prompt."""

    def generate(self, prompts, n=1, **_):
        ids = [
            [100 * number + 10 * copy] * 3 for number in range(len(prompts)) for copy in range(n)
        ]
        return {"prompt_ids": [[7]] * len(prompts), "completion_ids": ids, "logprobs": []}


class Settings(SimpleNamespace):
    def __getattr__(self, name):
        return None


kind = of_trl("OnlineDPOTrainer")
make = getattr(kind, "_generate_vllm_server", None)
trained = Settings(
    processing_class=tokenizer(), vllm_client=Client(), num_generations=2,
    state=SimpleNamespace(global_step=0), _last_loaded_step=0, generation_config=Settings(),
    accelerator=SimpleNamespace(is_main_process=True, process_index=0), args=Settings(),
)  # fmt: skip
if make is None:
    verdict(False, "this release has no server mode")
else:
    ids, _ = make(trained, ["w1", "w2"])
    if isinstance(ids[0][0], str):
        verdict(False, f"the trainer fails: completions are letters, {ids}")
    else:
        verdict(ids != [[0] * 3, [100] * 3, [10] * 3, [110] * 3], f"completions: {ids}")
