# wrong: a change before the op does no harm, for the op saw the new numbers; only later ones count
spoiled = version.changed > 0
# wrong: what the vjp itself made after the op may be changed at will; only what was there before counts
spoiled = node.born < version.changed
# wrong: this asks whether the numbers were there when the op ran; whether they have changed since is missing
spoiled = version.born < node.born
# wrong: the other way round: this refuses changes from before the op, and lets later ones pass
spoiled = version.born < version.changed < node.born
# wrong: version.rewritten counts recorded changes alone; any write spoils the numbers, recorded or not
spoiled = version.born < node.born < version.rewritten
# wrong: changed since they were made says less than changed since the op read them
spoiled = version.born < version.changed and version.born < node.born
