"""Sets of JSON Schemas, one file for each set, with schemas for the answers of each path.

`whole`: schema of non-streamed answers. `event`: schema of each event of a stream. `why`: the reason shown in
reports. The schemas cover only the members that clients read; other members are allowed.
"""
