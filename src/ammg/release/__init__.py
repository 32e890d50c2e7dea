"""The last stage: the release is prepared, checked, put in random order and written."""
