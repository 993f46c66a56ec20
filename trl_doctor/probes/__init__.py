"""What runs in the target interpreter: a module for each question, and what they are made of.

May import the standard library and the libraries that are examined, nothing else of trl_doctor.
"""
