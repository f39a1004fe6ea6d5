"""The three memory traces of an attempt (release format 2.3): one is loaded, the others are held against it."""
