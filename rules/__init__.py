"""The rules that come with trl-doctor: one rule a file, its page, its check and its examples."""
