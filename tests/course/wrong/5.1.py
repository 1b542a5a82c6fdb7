# wrong: only what the module itself has was found; the modules inside it have parameters, too
if isinstance(value, Module) or is_parameter(value):
    yield name, value
if isinstance(value, Module) and not name:
    for key, part in vars(value).items():
        yield from walk(part, key, seen, once)
# wrong: lists, tuples and dicts were passed over; what lies in them belongs to the module
if id(value) in seen:
    return
seen.add(id(value))
if isinstance(value, Module) or is_parameter(value):
    yield name, value
if isinstance(value, Module):
    for key, part in vars(value).items():
        yield from walk(part, f"{name}.{key}" if name else str(key), seen, once)
# wrong: what was seen was forgotten again behind each branch; all branches must share one set
if id(value) in seen:
    return
seen = {*seen, id(value)}
if isinstance(value, Module) or is_parameter(value):
    yield name, value
held = vars(value) if isinstance(value, Module) else value
if isinstance(held, list | tuple):
    held = dict(enumerate(held))
if isinstance(held, dict):
    for key, part in held.items():
        yield from walk(part, f"{name}.{key}" if name else str(key), seen, once)
# wrong: a part has its own name only; the names on the way to it stand before it, with dots
if id(value) in seen:
    return
seen.add(id(value))
if isinstance(value, Module) or is_parameter(value):
    yield name, value
held = vars(value) if isinstance(value, Module) else value
if isinstance(held, list | tuple):
    held = dict(enumerate(held))
if isinstance(held, dict):
    for key, part in held.items():
        yield from walk(part, str(key), seen, once)
# wrong: every tensor was taken for a parameter; only those made by nn.Parameter are
if id(value) in seen:
    return
seen.add(id(value))
if isinstance(value, Module | Tensor):
    yield name, value
held = vars(value) if isinstance(value, Module) else value
if isinstance(held, list | tuple):
    held = dict(enumerate(held))
if isinstance(held, dict):
    for key, part in held.items():
        yield from walk(part, f"{name}.{key}" if name else str(key), seen, once)
# wrong: the module itself is missing; a module is given, too, before what it holds
if id(value) in seen:
    return
seen.add(id(value))
if is_parameter(value):
    yield name, value
held = vars(value) if isinstance(value, Module) else value
if isinstance(held, list | tuple):
    held = dict(enumerate(held))
if isinstance(held, dict):
    for key, part in held.items():
        yield from walk(part, f"{name}.{key}" if name else str(key), seen, once)
# wrong: a module comes after what it holds; it should come before
if id(value) in seen:
    return
seen.add(id(value))
held = vars(value) if isinstance(value, Module) else value
if isinstance(held, list | tuple):
    held = dict(enumerate(held))
if isinstance(held, dict):
    for key, part in held.items():
        yield from walk(part, f"{name}.{key}" if name else str(key), seen, once)
if isinstance(value, Module) or is_parameter(value):
    yield name, value
# wrong: the parts of a dict were numbered; a part of a dict goes by its key
if id(value) in seen:
    return
seen.add(id(value))
if isinstance(value, Module) or is_parameter(value):
    yield name, value
held = vars(value) if isinstance(value, Module) else value
if isinstance(held, dict) and held is value:
    held = list(held.values())
if isinstance(held, list | tuple):
    held = dict(enumerate(held))
if isinstance(held, dict):
    for key, part in held.items():
        yield from walk(part, f"{name}.{key}" if name else str(key), seen, once)
# wrong: tuples were passed over; they hold parts as lists do
if id(value) in seen:
    return
seen.add(id(value))
if isinstance(value, Module) or is_parameter(value):
    yield name, value
held = vars(value) if isinstance(value, Module) else value
if isinstance(held, list):
    held = dict(enumerate(held))
if isinstance(held, dict):
    for key, part in held.items():
        yield from walk(part, f"{name}.{key}" if name else str(key), seen, once)
