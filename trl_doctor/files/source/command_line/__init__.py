"""The command line of a script: `keys` are its words as keys and values.

Parsers (`parsers`, `option_values`, `positionals`, `refused_words`), objects that it fills
(`filling`), functions that a library calls with it (`commands`), and hydra's own files
(`hydra_files`).
"""
