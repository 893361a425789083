"""What stands on a page: text, formulas, figures, labs, folds, cards, terms."""
