#!/bin/sh
# The entry of the images: TGI's arguments, a subcommand of `verbatim`, or a command with its arguments.
set -eu
case "${1:-}" in
    '' | -*) exec text-generation-launcher "$@" ;;
    verbatim | verbatim-server | text-generation-launcher) exec "$@" ;;
    *) exec verbatim "$@" ;;
esac
