"""The workbench: what is said of its floors."""
