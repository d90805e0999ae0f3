"""A validator for the part of JSON Schema that schema.json uses."""

import re

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}
KNOWN = {"$schema", "$defs", "title", "$ref", "type", "enum", "pattern", "minimum", "maximum", "required", "properties",
         "additionalProperties", "items", "prefixItems", "minItems", "maxItems"}


class Invalid(Exception):
    pass


def validate(value, schema, root, where="$"):
    """Raises Invalid, with the place, if the value is not as the schema says."""
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    assert set(schema) <= KNOWN, set(schema) - KNOWN

    def check(condition, why):
        if not condition:
            raise Invalid(f"{where}: {why}: {str(value)[:80]}")

    if "enum" in schema:
        check(value in schema["enum"], f"none of {schema['enum']}")
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        check(any(TYPES[name](value) for name in types), f"no {' or '.join(types)}")
    if isinstance(value, str) and "pattern" in schema:
        check(re.search(schema["pattern"], value), f"not {schema['pattern']}")
    if TYPES["number"](value):
        check(value >= schema.get("minimum", value), "too small")
        check(value <= schema.get("maximum", value), "too large")
    if isinstance(value, dict):
        for name in schema.get("required", []):
            check(name in value, f"has no '{name}'")
        known, other = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, item in value.items():
            check(name in known or other is not False, f"'{name}' is not expected")
            inner = known.get(name, other)
            if isinstance(inner, dict):
                validate(item, inner, root, f"{where}.{name}")
    if isinstance(value, list):
        check(schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), "wrong length")
        first = schema.get("prefixItems", [])
        for i, item in enumerate(value):
            inner = first[i] if i < len(first) else schema.get("items")
            if inner is not None:
                validate(item, inner, root, f"{where}[{i}]")
