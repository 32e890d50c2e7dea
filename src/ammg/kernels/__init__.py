"""Arrays in, arrays out: the compiled and vectorised inner loops. No names of columns, roles or files here."""
