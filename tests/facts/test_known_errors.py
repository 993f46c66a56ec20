"""Errors of real first steps are recognised, each as one cause; others are left alone."""

import re

import pytest

from trl_doctor.facts.measured.known_errors import KNOWN, known

SEEN = {
    "ValueError: Mismatch in `image` token count between text and `input_ids`. Got ids=[3]": (
        "cuts the tokens of an image"
    ),
    "ValueError: The total number of <image> tokens in the prompts should be the same as the "
    "number of images passed. Found total 0 <image> tokens and 2 images.": "none for an image",
    "ValueError: truncation_mode='keep_end' is not supported for vision datasets. Image": (
        "cutting at the start"
    ),
    "ValueError: The dataset appears to be vision-related (contains 'image' or 'images' keys)": (
        "need a processor"
    ),
    "KeyError: \"Unexpected input keys in examples: ['images'].\"": "`text` is dropped",
    "ValueError: Multimodal training requires conversational prompts. It looks like": "plain texts",
    "ValueError: Cannot use apply_chat_template because this processor does not have a chat "
    "template.": "a processor does not read it",
    "ValueError: Unrecognized configuration class <class 'LlavaConfig'> for this kind of "
    "AutoModel: AutoModelForCausalLM.": "no class for this model type",
    "OSError: Can't load image processor for 'model'. If you were": "no settings for its images",
    "ValueError: num_samples should be a positive integer value, but got num_samples=0": (
        "no row is left"
    ),
    "ValueError: Unable to create tensor, you should probably activate truncation": "no token ids",
    "TemplateError: Conversation roles must alternate user/assistant/...": "refuses the order",
    "UndefinedError: 'dict object' has no attribute 'content'": "is null",
    "AttributeError: 'NoneType' object has no attribute 'endswith'": "is null",
    'TypeError: can only concatenate str (not "list") to str': "a text meets a list",
    'TypeError: can only concatenate str (not "NoneType") to str': "is null",
    "AttributeError: 'list' object has no attribute 'endswith'": "a text meets a list",
    "AttributeError: 'TrainingArguments' object has no attribute 'model_init_kwargs'": (
        "of another class"
    ),
    "ValueError: You should supply an encoding or a list of encodings to this method that includes "
    "input_ids, but you provided []": "no tokens",
    "ValueError: Column name ['output'] not in the dataset. Current columns in the dataset: []": (
        "has no rows"
    ),
    "ValueError: Actual (not effective) batch size must be > 1.": "one alone",
    "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != c10::BFloat16": (
        "one type of number"
    ),
    "ValueError: The model did not return a loss from the inputs, only these keys: logits": (
        "no labels"
    ),
    "ValueError: Cannot use chat template functions because tokenizer.chat_template is not set": (
        "has no chat template"
    ),
    "ValueError: Chat template is already added to the tokenizer. If you want to overwrite it": (
        "without a chat template"
    ),
    "IndexError: Target -1 is out of bounds.": "is not -100",
    "pyarrow.lib.ArrowInvalid: Column 2 named input_ids expected length 4 but got length 16": (
        "another number of rows"
    ),
    "ValueError: setting an array element with a sequence. The requested array has an "
    "inhomogeneous shape after 1 dimensions.": "is a tuple",
    "RuntimeError: Error(s) in loading state_dict for PeftModelForCausalLM: size mismatch for "
    "base_model.model.model.embed_tokens.weight: copying a param with shape": "number of rows",
    "ValueError: Error occurred while packing the dataset. Make sure that": "eval_dataset",
    "ValueError: Number of images provided (1) does not match number of image placeholders (0).": (
        "no placeholder for an image"
    ),
    "ValueError: optimizer got an empty parameter list": "given no weight",
    "ValueError: expected sequence of length 18 at dim 1 (got 20)": "does not pad them",
    "ValueError: Unable to create tensor, you should probably activate truncation and/or padding. "
    "Perhaps your features (`labels` in this case) have": "pads only their tokens",
    "AttributeError: 'NoneType' object has no attribute '__name__'": "a reward function is None",
    "RuntimeError: Some tensors share memory, this will lead to": "are tied",
    "ImportError: Unsupported ANTLR version 4.7.2, only 4.9.3, 4.11.0, and 4.13": ("parses with"),
    "ValueError: Your setup doesn't support bf16/gpu. You need to assign use_cpu": "bf16",
}


@pytest.mark.parametrize("message", SEEN)
def test_an_error_that_was_seen(message: str) -> None:
    matches = [error for error in KNOWN if re.search(error.pattern, message)]
    assert len(matches) == 1 and SEEN[message] in matches[0].cause
    assert known(message) is matches[0]


@pytest.mark.parametrize(
    "message",
    [
        "KeyError: 'training'",
        "AttributeError: 'LlamaConfig' object has no attribute 'pad_token'",
        "IndexError: index out of range in self",
        "AttributeError: 'NoneType' object has no attribute 'modules'",
        "RuntimeError: The size of tensor a (16) must match the size of tensor b (38)",
    ],
)
def test_an_error_of_another_rule(message: str) -> None:
    assert known(message) is None
