"""How a sentence names its checks, and how they are run and compared."""
