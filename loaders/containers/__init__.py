"""The three containers of evidence, all read through one member interface: `.tar.zst`, plain `.tar`, extracted tree."""
