"""What the real transformers reads in model folders; run by the target interpreter.

Reads a folder's path a line on stdin; answers a line of JSON each on the file descriptor that is
its argument. Standard library and transformers only.
"""

import json
import os
import sys

ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
IDS = ("bos_token_id", "eos_token_id", "pad_token_id")


def tokenizer(folder):
    from transformers import AutoTokenizer

    loaded = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    if not loaded:
        raise ValueError(f"from_pretrained gave {loaded!r}")
    answer = {
        "class": type(loaded).__name__,
        "length": len(loaded),
        "extra tokens": extra(loaded),
        "added tokens": {str(id): str(t) for id, t in loaded.added_tokens_decoder.items()},
        "chat template": loaded.chat_template,
        "special tokens": sorted({str(token) for token in loaded.all_special_tokens}),
    }
    for role in ROLES:
        token = getattr(loaded, role)
        answer[role] = None if token is None else [str(token), getattr(loaded, role + "_id")]
    return answer


def extra(loaded):
    for name in ("extra_special_tokens", "additional_special_tokens"):
        tokens = getattr(loaded, name, None)
        if isinstance(tokens, list):
            return [str(token) for token in tokens]
    return []


def config(folder):
    from transformers import AutoConfig

    loaded = AutoConfig.from_pretrained(folder, trust_remote_code=False)
    parts = [loaded, getattr(loaded, "text_config", None)]
    return {name: first(parts, name) for name in IDS}


def first(parts, name):
    """The value at the top, or where that has none, in the text model's part."""
    for part in parts:
        value = part.get(name) if isinstance(part, dict) else getattr(part, name, None)
        if value is not None:
            return value
    return None


def generation(folder):
    from transformers import GenerationConfig

    loaded = GenerationConfig.from_pretrained(folder)
    return {name: getattr(loaded, name, None) for name in IDS}


def ask(question, folder):
    try:
        return question(folder)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return {"error": f"{type(error).__name__}: {str(error)[:200]}"}


def main():
    replies = os.fdopen(int(sys.argv[1]), "w", encoding="utf-8")
    for line in sys.stdin:
        folder = line.rstrip("\n")
        questions = {
            "tokenizer": tokenizer,
            "config.json": config,
            "generation_config.json": generation,
        }
        answer = {name: ask(question, folder) for name, question in questions.items()}
        replies.write(json.dumps(answer) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
