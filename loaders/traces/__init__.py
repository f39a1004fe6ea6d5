"""The three memory traces of an attempt (release format 2.3): `phase-memory` is loaded, the others are held against it."""
