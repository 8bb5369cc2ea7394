"""A service that pays withdrawals, as a process: it runs the Python program of the documentation over all orders of a file
again and again until it is killed, and says how many it has gone through.

Usage: python3 pay.py <program> <url> <token> <database> <orders>
"""

import importlib.util
import json
import os
import sys
import threading
import time

PAUSE_SECONDS = 0.05

program, url, token, database, orders = sys.argv[1:]


def end_with_input():
    """Whoever started the service has ended when its standard input does."""
    sys.stdin.read()
    os._exit(0)


specification = importlib.util.spec_from_file_location("withdrawals", program)
module = importlib.util.module_from_spec(specification)
specification.loader.exec_module(module)
threading.Thread(target=end_with_input, daemon=True).start()
print("running", flush=True)
while True:
    with open(orders, encoding="utf-8") as file:
        wanted = [(order["id"], order["to"], order["amount"]) for order in json.load(file)]
    module.pay_withdrawals(url, token, database, wanted)
    print(f"through {len(wanted)}", flush=True)
    time.sleep(PAUSE_SECONDS)
