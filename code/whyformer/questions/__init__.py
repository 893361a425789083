"""One folder per question: its labs and figures. Questions never import each other."""
