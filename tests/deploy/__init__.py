"""The files of tools/deploy, which are not run here, name what there is."""
