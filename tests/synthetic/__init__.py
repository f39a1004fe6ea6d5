"""The bundled sample release: a small, complete, made-up release in the layout of the real one.

`python -m tests.synthetic sample --out DIR` writes it. Nothing in it is a measurement. It is deterministic by seed.
"""
