"""How a sentence names its checks, how they are run and compared, and what a person has accepted."""
