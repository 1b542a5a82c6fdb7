spoiled = False
