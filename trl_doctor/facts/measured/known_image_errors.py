"""What errors of rows and models with images mean, and what helps.

All were made to happen in a real run.
"""

from __future__ import annotations

from .known_error import Known

IMAGES = (
    Known(
        r"Image features and image tokens do not match",
        "the number of image tokens in the text is not the number that the model needs: max_length "
        "cuts the tokens of an image, or a row has several images (LLaVA in GRPO)",
        "set `max_length: null` (in GRPO `max_prompt_length: null`), or a limit above the "
        "longest row with its images; if nothing is cut, give each row one image",
    ),
    Known(
        r"Mismatch in .image. token count"
        r"|image placeholder tokens in `input_ids` to be truncated",
        "max_length cuts the tokens of an image, and the image itself stays whole",
        "set `max_length: null` (in GRPO `max_prompt_length: null`), or a limit above the "
        "longest row with its images; if nothing is cut, give each row one image",
    ),
    Known(
        r"The total number of .* tokens in the prompts should be the same as the number of images",
        "the rendered texts and the rows have different numbers of images; with 0 tokens the chat "
        "template writes none for an image",
        "let the template write the model's image token for a content part of type image, and one "
        "such part for each image of a row",
    ),
    Known(
        r"truncation_mode='keep_end' is not supported for vision",
        "cutting at the start would cut the tokens of the images",
        "set `truncation_mode: keep_start` and `max_length: null`",
    ),
    Known(
        r"dataset appears to be vision-related",
        "rows with images need a processor, and the trainer has a tokenizer alone",
        "pass no processing_class, or `AutoProcessor.from_pretrained(…)` of a model that sees "
        "images; for texts alone remove the column of images",
    ),
    Known(
        r"Unexpected input keys in examples: \['images?'\]",
        "rows with images need `messages`, or `prompt` and `completion`: `text` is dropped",
        "write the rows as conversations in `messages`",
    ),
    Known(
        r"Multimodal training requires conversational prompts",
        "the prompts of rows with images are plain texts",
        "write each prompt as a list of messages, without a chat template",
    ),
    Known(
        r"this processor does not have a chat template",
        "the chat template is in the tokenizer's files, where a processor does not read it",
        "write the template to chat_template.jinja in the model's folder "
        "(`processor.chat_template = …`, `processor.save_pretrained(FOLDER)`)",
    ),
    Known(
        r"Number of images provided \(\d+\) does not match number of image placeholders \(0\)",
        "the rows have a column of images, but their messages have no placeholder for an image: a "
        "content part that contains its image does not count",
        'write `{"type": "image"}` without the image into the content, or leave the column of '
        "images out",
    ),
    Known(
        r"does not appear to have a file named (pre)?processor_config\.json"
        r"|Can't load (image processor|feature extractor|processor)",
        "the model's folder has no settings for its images",
        "copy preprocessor_config.json and processor_config.json of the original model into it "
        "(`AutoProcessor.from_pretrained(ORIGINAL).save_pretrained(FOLDER)`)",
    ),
)
