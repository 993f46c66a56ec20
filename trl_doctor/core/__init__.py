"""The words that all else is written in: finding, page, trainer names, questions and answers.

May import nothing of this project.
"""
