"""Project documents as forms show and change them: fields, steps, the goal of a search."""
