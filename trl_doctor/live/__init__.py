"""Examines the objects of a training program from inside it.

May import `checkup`, `reports` and what those may import. The program that calls it
imports the libraries that train.
"""
