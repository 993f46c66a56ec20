"""Launch files (shell, Slurm, Makefile, Dockerfile, Kubernetes, SkyPilot, CI): what they start."""
