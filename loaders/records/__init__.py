"""Small records of runs: trial results, environments, allocations, device maps, accounting, allocator traces."""
