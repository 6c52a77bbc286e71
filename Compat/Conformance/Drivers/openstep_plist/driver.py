#!/usr/bin/env python3
"""Driver of openstep_plist for the atlas: answers what its parser makes of texts."""
import base64
import json
import sys

import openstep_plist

sys.setrecursionlimit(20000)


def string(text):
    try:
        text.encode("utf-8")
        return {"s": text}
    except UnicodeEncodeError:  # half of a surrogate pair
        return {"u16": text.encode("utf-16-be", "surrogatepass").hex()}


def notation(value):
    if isinstance(value, bytes):
        return {"d": value.hex()}
    if isinstance(value, list):
        return {"a": [notation(element) for element in value]}
    if isinstance(value, dict):
        return {"o": {str(key): notation(element) for key, element in value.items()}}
    return string(value)


def parse(data):
    try:
        return {"value": notation(openstep_plist.loads(data.decode("utf-8")))}
    except (openstep_plist.ParseError, ValueError, RecursionError) as error:
        return {"error": str(error) or type(error).__name__}


for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "end":
        break
    if message["do"] == "hello":
        reply = {"protocol": 1, "name": "openstep_plist", "version": openstep_plist.__version__}
    elif message["do"] == "parse":
        reply = {"n": message["n"], "outcome": parse(base64.b64decode(message["base64"]))}
    else:
        reply = {"n": message["n"], "outcome": {"absent": True}}
    print(json.dumps(reply), flush=True)
