"""Launch files (shell, Slurm, Makefile, Dockerfile, Kubernetes, SkyPilot): what they start."""
