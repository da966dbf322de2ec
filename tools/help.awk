# Prints the targets of the Makefile for `make help`: those in `everyday` first, the others by their headings (##@).

BEGIN {
    FS = ":.*## "
    num_first = split(everyday, first, " ")
    for (place in first) is_first[first[place]] = 1
}

/^##@ / {
    heading = substr($0, 5)
}

/^[a-z0-9-]+:.*## / {
    line[$1] = sprintf("  make %-21s %s\n", $1, $2)
    if ($1 in is_first) next
    if (!(heading in lines)) headings[++num_headings] = heading
    lines[heading] = lines[heading] line[$1]
}

END {
    print "Every day"
    for (place = 1; place <= num_first; place++) printf "%s", line[first[place]]
    for (place = 1; place <= num_headings; place++) printf "\n%s\n%s", headings[place], lines[headings[place]]
}
