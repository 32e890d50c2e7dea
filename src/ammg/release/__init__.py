"""The last stage: what may leave is prepared, checked by the gate, put in random order and written."""
