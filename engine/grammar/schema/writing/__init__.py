"""The rules of a schema that is in normal form: values, objects, arrays, strings, numbers."""
