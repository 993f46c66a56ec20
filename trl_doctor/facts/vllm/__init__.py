"""The vLLM engine of a run: its size, its cache, the tokenizer that it loads."""
