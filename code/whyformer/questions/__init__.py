"""One room per chapter: its labs and figures. Rooms never import each other."""
