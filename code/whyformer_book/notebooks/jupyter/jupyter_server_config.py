"""*File > Save and Export Notebook As > HTML* reads the server's settings, not those of nbconvert."""

load_subconfig("jupyter_nbconvert_config.py")  # noqa: F821
