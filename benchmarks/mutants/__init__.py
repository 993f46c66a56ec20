"""What benchmarks/mutated_scripts.py needs: mistakes in scripts, and what their trainers do."""
