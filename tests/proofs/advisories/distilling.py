"""The gradients of trainers that distil a teacher, over four rows in one batch and in four."""

import importlib
import tempfile

from small import logged, model, of_trl, tokenizer, trainer

TURNS = [{"role": "user", "content": "w1 w2"}, {"role": "assistant", "content": "w3 w4 w5"}]
PAIR = {"prompt": TURNS[:1], "completion": TURNS[1:], "messages": TURNS}
SIZES = {"max_length": 32, "max_new_tokens": 4, "max_completion_length": 4, "max_grad_norm": 1e9}
OTHERS = {"lmbda": 0.0, "beta": 0.5, "loss_top_k": 0, "remove_unused_columns": False}


def norms(name, **more):
    """The sizes of the gradients of one step over four equal rows, in one batch and in four.

    None if the release has no such trainer.
    """
    try:
        home = importlib.import_module(of_trl(f"{name}Trainer").__module__)
    except (AttributeError, ImportError):
        return None
    if hasattr(home, "encode_with_byte_offsets"):  # which takes no words, but the bytes of words
        home.encode_with_byte_offsets = _encoded
    return _norm(name, 1, 4, more), _norm(name, 4, 1, more)


def _encoded(backend, texts, add_special_tokens=False):
    encodings = backend.encode_batch(texts, add_special_tokens=add_special_tokens)
    return [(encoding.ids, encoding.offsets) for encoding in encodings]


def _norm(name, batches, rows, more):
    sizes = {"gradient_accumulation_steps": batches, "per_device_train_batch_size": rows}
    kept = {"dataset_kwargs": {"skip_prepare_dataset": True}} if name == "GKD" else {}
    teacher = _loaded()
    for part in teacher.parameters():
        part.data.mul_(2.0)
    home = {"teacher_tokenizer_name_or_path": teacher.name_or_path}
    wanted = {**SIZES, **OTHERS, **sizes, **kept, **home, **more}
    row = PAIR if name == "Distillation" else {"messages": TURNS}
    trained = trainer(name, [row] * 4, wanted, teacher_model=teacher)
    trained.train()
    return float(logged(trained, "grad_norm"))


def _loaded():
    """A model that has a folder, where its tokenizer is."""
    from transformers import AutoModelForCausalLM

    folder = tempfile.mkdtemp()
    model().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return AutoModelForCausalLM.from_pretrained(folder)
