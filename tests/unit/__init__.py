"""One module of tests per module of the loaders and the command."""
