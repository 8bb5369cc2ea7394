"""A service that credits deposits, as a process: it runs the Python program of the documentation until it is killed.

Usage: python3 credit.py <program> <url> <token> <database>
"""

import importlib.util
import os
import sys
import threading

program, url, token, database = sys.argv[1:]


def end_with_input():
    """Whoever started the service has ended when its standard input does."""
    sys.stdin.read()
    os._exit(0)


specification = importlib.util.spec_from_file_location("deposits", program)
module = importlib.util.module_from_spec(specification)
specification.loader.exec_module(module)
threading.Thread(target=end_with_input, daemon=True).start()
print("running", flush=True)
module.credit_deposits(url, token, database)
