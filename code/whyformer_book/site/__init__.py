"""What goes round all pages: assets, execution, search, the first page, the first paint."""
