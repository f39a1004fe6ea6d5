"""Text that people and programs wrote while a run went on: training logs, and the secrets that must not leave them."""
