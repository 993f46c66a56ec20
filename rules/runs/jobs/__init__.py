"""Rules on what a job gives its training: options, variables, folders, servers, packages."""
