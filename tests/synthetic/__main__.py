"""Command line of the generator. Example: python -m tests.synthetic sample --out .sample"""

import argparse
import shutil
from pathlib import Path

from loaders.registry import PROJECT
from rlvram.building import build
from tests.synthetic.from_tables import write_from_tables
from tests.synthetic.release import SEED, write_sample

EXAMPLE = Path("warehouse.duckdb.example")
SMALL_BLOCKS = 16_384  # the file is mostly empty blocks otherwise


def write_example(warehouse: Path) -> None:
    """Build `warehouse` anew from the sample in `.sample`; paths in it stay relative to the current folder."""
    write_sample(Path(".sample"))
    warehouse.unlink(missing_ok=True)
    build(warehouse, [Path(".sample")], PROJECT, block_size=SMALL_BLOCKS)
    warehouse.with_name(warehouse.name + ".lock").unlink()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.synthetic", description="Write a made-up release.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("sample", help="a small complete release of tables for every view of the card")
    verb.add_argument("--out", type=Path, required=True, help="folder to write; its old content is removed")
    verb.add_argument("--seed", type=int, default=SEED, help="another seed gives other numbers (default: %(default)s)")
    fitting = verbs.add_parser("from-tables", help="given tables, with made-up raw evidence that fits them")
    fitting.add_argument("tables", type=Path, help="folder of a release of tables")
    fitting.add_argument("--out", type=Path, required=True, help="folder to write; it must be empty or absent")
    verbs.add_parser("example", help=f"{EXAMPLE}, the sample already built")
    arguments = parser.parse_args()
    if arguments.verb == "example":
        write_example(EXAMPLE)
        return
    if arguments.verb == "from-tables":
        if arguments.out.exists() and any(arguments.out.iterdir()):
            parser.error(f"{arguments.out} is not empty: name another folder")
        write_from_tables(arguments.tables, arguments.out)
        return
    if arguments.out.exists() and any(arguments.out.iterdir()) and not (arguments.out / "expectations.csv").exists():
        parser.error(f"{arguments.out} is not empty and is no sample: name another folder")
    shutil.rmtree(arguments.out, ignore_errors=True)
    write_sample(arguments.out, arguments.seed)


if __name__ == "__main__":
    main()
