#!/usr/bin/env python3
"""repair.py - checks a conversation and repairs it, by ctypes

usage: repair.py LIBCTX FILE > REPAIRED
"""
import ctypes
import sys
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_int
from ctypes import c_size_t, c_uint64, c_void_p


def sized(name, *members):
    """Makes a class for a struct of ctx.h that begins with its size."""
    fields = [("size", c_size_t)] + list(members)
    new = type(name, (ctypes.Structure,), {"_fields_": fields})
    return lambda: new(size=ctypes.sizeof(new)), new


make_error, Error = sized(
    "ctx_error", ("kind", c_int), ("system", c_int), ("line", c_uint64),
    ("column", c_uint64), ("file", c_char * 256), ("text", c_char * 256))
make_result, Result = sized("ctx_result", *[(name, c_uint64) for name in (
    "conversations", "messages", "removed", "changed", "tokens_before",
    "tokens_after", "too_long", "refused", "findings", "repaired",
    "failed", "given_up")])
_, Finding = sized(
    "ctx_finding_info", ("file", c_char_p), ("line", c_uint64),
    ("index", c_uint64), ("rule", c_char_p), ("text", c_char_p),
    ("action", c_char_p))
OnFinding = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Finding))
make_options, Options = sized(
    "ctx_check_options", ("provider", c_char_p), ("reasoning", c_char_p),
    ("archive", c_char_p), ("on_finding", OnFinding), ("user", c_void_p),
    ("allow_pending", c_bool), ("schema", c_bool))


def report(_user, finding):
    """Called for each violation, repaired or not."""
    finding = finding.contents
    action = (finding.action or b"not repaired").decode()
    print(f"{finding.line}: {finding.rule.decode()}: {action}",
          file=sys.stderr)
    return 0


def main(library, file):
    ctx = ctypes.CDLL(library)
    input_, output = c_void_p(), c_void_p()
    error, result, options = make_error(), make_result(), make_options()
    options.on_finding = OnFinding(report)
    files = (c_char_p * 1)(file.encode())
    status = ctx.ctx_input_open_files(
        byref(input_), files, c_size_t(1), None, byref(error))
    if status == 0:
        status = ctx.ctx_output_open_fd(byref(output), 1, byref(error))
    if status == 0:
        status = ctx.ctx_check(
            input_, output, byref(options), byref(result), byref(error))
    ctx.ctx_output_free(output)
    ctx.ctx_input_free(input_)
    if status < 0:
        print(f"repair.py: {error.text.decode()}", file=sys.stderr)
        return 2
    print(f"{result.messages} messages, {result.repaired} repaired, "
          f"{result.findings} not repaired", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
