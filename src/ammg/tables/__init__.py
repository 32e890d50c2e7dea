"""Tables made from microdata, and how to make them safe."""

from ammg.tables.controlled_rounding import RoundedTable, round_table

__all__ = ["RoundedTable", "round_table"]
