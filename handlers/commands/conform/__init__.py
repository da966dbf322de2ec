"""The command `verbatim conform`: the kit's checks with this project's contracts and their rules, and the
requests recorded from programs that people use.
"""
