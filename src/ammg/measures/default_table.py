"""The measures to show if none are named, the same for everybody: neither a plug-in nor a subclass changes them."""

DEFAULT_TABLE = (
    "cell_loss",
    "deviation_interval_disclosure",
    "distance_linkage",
    "frequency",
    "il1",
    "il1s",
    "il2",
    "il3",
    "il4",
    "il5",
    "rank_interval_disclosure",
    "target_unit",
)
"""Names in alphabetical order. To look here is faster than to load all measures."""
