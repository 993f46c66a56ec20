"""A vLLM server gets the prompts without their special tokens."""

from small import grpo, lengths, verdict

ROWS = [{"prompt": [{"role": "user", "content": "w1 w2"}]}] * 4


class Client:
    """Keeps the prompts that it is asked for, and answers."""

    def generate(self, prompts, n=1, **_):
        self.prompts = prompts
        return [[8, 9, 1]] * len(prompts) * n


trained = grpo(lengths, ROWS)
trained.use_vllm, trained.vllm_mode, trained.vllm_client = True, "server", Client()
trained._last_loaded_step, trained.guided_decoding_regex = 0, None
batch = next(iter(trained.get_train_dataloader()))
make = getattr(trained, "_generate_and_score_completions", trained._prepare_inputs)
make(batch)
prompt = trained.vllm_client.prompts[0]
verdict("<|user|>" not in prompt, f"the server is asked for {prompt!r}")
