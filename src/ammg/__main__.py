"""`python -m ammg` is the command `ammg`."""

from ammg.cli import main

if __name__ == "__main__":
    main()
