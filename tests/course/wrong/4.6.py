# wrong: the walk was always recorded; a gradient that nobody differentiates again would keep all of its history
with recording(True):
    found, used = carry(nodes, start, ends)
if not retain_graph:
    for node in used:
        node.release()
# wrong: nothing was switched, so the walk is recorded or not as it happens to be around the call; create_graph decides
found, used = carry(nodes, start, ends)
if not retain_graph:
    for node in used:
        node.release()
# wrong: the walk was never recorded, not even with create_graph=True
with recording(False):
    found, used = carry(nodes, start, ends)
if not retain_graph:
    for node in used:
        node.release()
# wrong: two wishes were mixed up: create_graph records the walk, retain_graph keeps what was walked over
with recording(retain_graph):
    found, used = carry(nodes, start, ends)
if not retain_graph:
    for node in used:
        node.release()
# wrong: the recording was released although the caller asked to keep it
with recording(create_graph):
    found, used = carry(nodes, start, ends)
for node in used:
    node.release()
# wrong: nothing was released, so all that the vjps need stays in memory as long as somebody holds the result
with recording(create_graph):
    found, used = carry(nodes, start, ends)
# wrong: nodes were released that this walk did not use; another walk may still want them
with recording(create_graph):
    found, used = carry(nodes, start, ends)
if not retain_graph:
    for node in nodes:
        node.release()
# wrong: create_graph decided what is kept; that is what retain_graph says
with recording(create_graph):
    found, used = carry(nodes, start, ends)
if not create_graph:
    for node in used:
        node.release()
