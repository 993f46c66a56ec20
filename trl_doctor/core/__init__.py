"""The basic types: finding, page, trainer names, questions and answers.

May import nothing of this project.
"""
