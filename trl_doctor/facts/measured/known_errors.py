"""What the commonest errors of a first step mean, and what helps.

All were made to happen in a real run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .known_error import Known
from .known_image_errors import IMAGES

KNOWN = (
    *IMAGES,
    Known(
        r"out of range integral type conversion attempted",
        "a tokenizer decodes token ids that are negative: predictions and labels of an evaluation "
        "are padded with -100",
        "write the pad token in their place before compute_metrics decodes them: "
        "`np.where(labels != -100, labels, tokenizer.pad_token_id)`, and the same of the "
        "predictions",
    ),
    Known(
        r"setting an array element with a sequence.*inhomogeneous",
        "arrays of different shapes cannot become one: in compute_metrics `predictions` is a tuple "
        "if the model returns more than logits, as with output_hidden_states or output_attentions",
        "take `predictions[0]`, or pass the trainer "
        "`preprocess_logits_for_metrics=lambda logits, labels: logits[0]`",
    ),
    Known(
        r"no attribute 'current_gradient_accumulation_steps'",
        "evaluate() is called before train(): the loss of this trainer divides by a number that "
        "only the training sets",
        "call `trainer.evaluate()` after `trainer.train()`, or set "
        "`trainer.current_gradient_accumulation_steps = 1` before it",
    ),
    Known(
        r"Cannot handle batch sizes > 1 if no padding token is defined",
        "the model that scores has no pad token id, and gets several texts at once",
        "set `model.config.pad_token_id = tokenizer.pad_token_id` of that model (of a pipeline: "
        "`pipe.model.config.pad_token_id`), or give it one text at a time",
    ),
    Known(
        r"tokenizer\.chat_template is not set",
        "the tokenizer has no chat template: base models often have none",
        "take a model that was trained on conversations, or set `tokenizer.chat_template` before "
        "the first conversation is rendered",
    ),
    Known(
        r"Chat template is already added to the tokenizer",
        "setup_chat_format is for tokenizers without a chat template, and this one has one",
        "leave setup_chat_format out, or set `tokenizer.chat_template = None` before it",
    ),
    Known(
        r"Unrecognized configuration class .*(?s:.*)AutoModelForCausalLM",
        "AutoModelForCausalLM has no class for this model type",
        "load it with AutoModelForImageTextToText if it sees images, or pass its name to the "
        "trainer",
    ),
    Known(
        r"None of the inputs have requires_grad|element 0 of tensors does not require grad",
        "the loss reaches no weight that is trained: gradient checkpointing with use_reentrant "
        "cuts an adapter off, or all weights are frozen",
        "set `gradient_checkpointing_kwargs: {use_reentrant: false}`; load an adapter with "
        "`is_trainable=True`",
    ),
    Known(
        r"state_dict for Peft\w+: size mismatch for \S*(embed|lm_head|wte|output)",
        "the adapter was trained on an embedding with another number of rows: tokens were added to "
        "the tokenizer before",
        "call `model.resize_token_embeddings(len(tokenizer))` on the base model before the adapter "
        "is loaded, with the tokenizer that was saved beside the adapter",
    ),
    Known(
        r"did not return a loss from the inputs",
        "the rows have no labels, and the collator makes none",
        "pass `data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False)`, or add the "
        "column `labels` to the rows",
    ),
    Known(
        r"Target -\d+ is out of bounds",
        "a label is negative and is not -100, the only one that the loss leaves out",
        "write -100 in place of it where the collator or a `map` sets labels that do not count",
    ),
    Known(
        r"Error occurred while packing the dataset",
        "the rows together are shorter than one packed sequence: often the rows of eval_dataset, "
        "which are packed too",
        "set `eval_packing=False`, give more rows to evaluate on, or pack to a smaller length",
    ),
    Known(
        r"expected sequence of length \d+ at dim \d+ \(got",
        "the rows of a batch have different lengths, and the collator does not pad them",
        "pass a data_collator that pads, as DataCollatorForSeq2Seq(tokenizer) does, or tokenize "
        'with `padding="max_length"`',
    ),
    Known(
        r"Column \d+ named .+ expected length \d+ but got length \d+",
        "a batched `map` gives another number of rows than it got, and the columns that it keeps "
        "have as many as before; or its own lists differ in length",
        "give that map `remove_columns=rows.column_names`; if a library calls it, as "
        "unpair_preference_dataset does, take other columns away first: `rows.select_columns(…)`",
    ),
    Known(
        r"optimizer got an empty parameter list",
        "the optimizer is given no weight: no parameter has the name that is looked for, or all "
        "weights are frozen",
        "look at the names in `model.named_parameters()`, and leave weights trainable",
    ),
    Known(
        r"num_samples=0|num_samples should be a positive integer",
        "no row is left to train on: each was longer than the limit, or had nothing to learn",
        "raise max_length above the longest prompt, or shorten the rows",
    ),
    Known(
        r"max_steps must be set to a positive value if dataloader does not have a length",
        "no batch is left: the rows, after packing, are fewer than a batch, and "
        "dataloader_drop_last drops it",
        "remove dataloader_drop_last, or make per_device_train_batch_size smaller",
    ),
    Known(
        r"stack expects each tensor to be equal size, but got \[(\d+, \d+), \d+\] at entry 0 and "
        r"\[\1, \d+\]",
        "two models give logits of different sizes: in a distillation the vocabularies of teacher "
        "and student differ",
        "take a teacher whose config.json has the student's `vocab_size`; if only unused rows "
        "differ, resize its embedding: `teacher.resize_token_embeddings(…)`",
    ),
    Known(
        r"too many dimensions 'str'",
        "a column of numbers has texts",
        "write the numbers without quotes, for example in `margin`",
    ),
    Known(
        r"Unable to create tensor, you should probably activate truncation(?!.*`labels` in this)",
        "a batch has a column that is no token ids",
        "leave `remove_unused_columns` true, or remove the columns that are not trained on",
    ),
    Known(
        r"roles must alternate|must alternate user/assistant|[Ss]ystem role not supported"
        r"|Only user(, system)? and assistant roles",
        "the chat template refuses the order or the roles of a row's messages",
        "join messages of the same role, put the system text into the first user message, or use "
        "a template that takes them",
    ),
    Known(
        r"can only concatenate str \(not \"NoneType\"\) to str"
        r"|NoneType' object has no attribute '(strip|split|endswith)'"
        r"|'dict object' has no attribute 'content'",
        "a message or a text of a row is null, and the chat template or the trainer adds it to a "
        "text",
        "write an empty text in place of null, or leave the row out",
    ),
    Known(
        r"can only concatenate (str|list) \(not \"(list|str)\"\)"
        r"|'list' object has no attribute 'endswith'",
        "a text meets a list: a prompt is text and its answer is messages, the other way round, or "
        "the content of a message is a list of parts, and the chat template takes a text",
        "write both as texts, or both as messages, and the content of a message as one text",
    ),
    Known(
        r"'(TrainingArguments|(SFT|DPO|GRPO|KTO|RLOO|Reward)Config)' object has no attribute",
        "args is of another class than the trainer's own config",
        "give the trainer its own config, `trl.SFTConfig` to SFTTrainer and `trl.DPOConfig` to "
        "DPOTrainer; a class of the script's own inherits from it",
    ),
    Known(
        r"You should supply an encoding or a list of encodings to this method that includes",
        "the rows have no tokens, and this trainer does not tokenize them",
        "map the rows to `input_ids` with the tokenizer, and remove the other columns",
    ),
    Known(
        r"Current columns in the dataset: \[\]|corresponds to no data",
        "the file of the data set has no rows",
        "write the rows again, or name the file that has them",
    ),
    Known(
        r"BatchNorm|batch size must be > 1|actual batch size",
        "KTO compares the rows of a batch with each other, and there is one alone",
        "set `per_device_train_batch_size: 2` or more",
    ),
    Known(
        r"expected scalar type \w+ but found|have the same dtype",
        "weights of one type of number meet weights or inputs of another",
        "load all of the model in one type (`dtype: float32` or `dtype: bfloat16`), and use "
        "`bf16: true` in place of casting parts of it",
    ),
    Known(
        r"setup doesn't support bf16|bf16/gpu|Found no NVIDIA driver",
        "bf16 is on, but the device of this machine does not support it",
        "set `bf16: false`, or run on a GPU that has bf16",
    ),
    Known(
        r"Unsupported ANTLR version|No module named '(antlr4|latex2sympy2_extended)\b",
        "math_verify is installed without what it parses with: latex2sympy2_extended, and "
        "antlr4-python3-runtime of a version that it knows",
        'run `pip install "math-verify[antlr4_13_2]"` in the environment of the run; where '
        "another package needs an older antlr4, `math-verify[antlr4_9_3]`",
    ),
    Known(
        r"Unable to create tensor.*`labels` in this case",
        "the rows have labels of different lengths, and the collator pads only their tokens",
        "pass no data_collator, or one that pads labels, as DataCollatorForSeq2Seq(tokenizer) does",
    ),
    Known(
        r"\S*(wpe|position)\S* has \d+ entries, .* is asked for entry",
        "a row has more tokens than the model has positions",
        "cut the rows: set `max_length` to the number of positions or less, and truncate where the "
        "script tokenizes",
    ),
    Known(
        r"\S*(embed_tokens|wte|word_embeddings|embed_in)\S* has \d+ entries, .* is asked for entry",
        "a row has a token id that the model's embedding has no row for: tokens were added to the "
        "tokenizer, or it is another model's",
        "call `model.resize_token_embeddings(len(tokenizer))`, or load the tokenizer of the model",
    ),
    Known(
        r"'NoneType' object has no attribute '__name__'",
        "a reward function is None: often a reward model that the script has not loaded",
        "pass the functions to `reward_funcs` as a list, without what is None",
    ),
    Known(
        r"Some tensors share memory",
        "two weights of the model are tied, and the class around it does not say so: the trainer "
        "cannot save it as safetensors",
        "set `save_safetensors: false` (transformers before 5), or save the model that is inside",
    ),
)


def known(text: str, seen: Iterable[str] = ()) -> Known | None:
    """What is known of an error, `Type: message`, by it and what was seen; None for others."""
    whole = "\n".join((text, *seen))
    return next((error for error in KNOWN if re.search(error.pattern, whole)), None)
