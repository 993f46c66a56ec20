"""Rules on the files of a tokenizer or processor, its special tokens and its chat template."""
