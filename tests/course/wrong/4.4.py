# wrong: it was taken for granted that recording was on before; a block may stand inside another one
self.before.append(True)
mode.recording = self.wanted
# wrong: it was switched first and remembered then, so that leaving the block changes nothing
mode.recording = self.wanted
self.before.append(mode.recording)
# wrong: always switched off; self.wanted says what this block is for, and enable_grad wants True
self.before.append(mode.recording)
mode.recording = False
# wrong: it was turned over instead of set: a block of no_grad within another one then records
self.before.append(mode.recording)
mode.recording = not mode.recording
# wrong: nothing was switched; the state before is only remembered
self.before.append(mode.recording)
# wrong: Mode, the class, was switched, which all threads see; mode, the object, has a state for each thread
self.before.append(mode.recording)
Mode.recording = self.wanted
# wrong: what was remembered last must come back first; pop() takes from the end of the list
self.before.insert(0, mode.recording)
mode.recording = self.wanted
# wrong: once off, a block could not switch it on again; enable_grad within no_grad must
self.before.append(mode.recording)
mode.recording = mode.recording and self.wanted
