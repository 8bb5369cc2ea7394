"""An independent check of the roots that cut headers commit to, written from docs/protocol.md alone.

Reads headers, outcomes, changes and proofs of a chain as JSON from standard input, computes every root anew, opens
every proof and sees that each altered proof is refused. Prints what was checked as one line of JSON.
"""

import hashlib
import json
import sys

NO_ID = bytes(48)
ADDRESS_BYTES = 49
CHANGE_BYTES = 163
MAXIMUM_PAYERS = 8
MAXIMUM_POSITIONS = 4_096
ALTERATIONS_PER_PROOF = 40

PREFIXES = ("svc", "tsvc", "hsvc", "dsvc")
SYMBOLS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
BECH32M_CONSTANT = 0x2BC830A3
BECH32_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)

OUTCOMES = ("finalized", "skipped", "expired", "not_yet_valid", "conflict", "unknown_input", "invalid", "no_effect")
KINDS = ("received", "spent")
SOURCES = ("regular", "work_reward", "stake_reward", "stake_return", "genesis")

# The fields of a header in their order and their lengths in bytes; those of at most 8 bytes are numbers.
HEADER_FIELDS = {
    "version": 4, "protocol_version": 4, "chain_id": 48, "height": 8, "parent_cut_id": 48, "history_root": 48,
    "proposer": 2, "time": 8, "validator_set_id": 48, "next_validator_set_id": 48, "previous_round": 4,
    "previous_signers": 8, "registered_root": 48, "registered_count": 4, "registered_bytes": 4, "evidence_root": 48,
    "outcome_root": 48, "changes_root": 48, "state_root": 48, "work_target": 32,
}


class Refused(Exception):
    """What was read is not what the specification allows, or not what a header commits to."""


def require(condition, reason):
    if not condition:
        raise Refused(reason)


def digest(label, data):
    return hashlib.sha384(label.encode("ascii") + data).digest()


def number(value, width):
    return value.to_bytes(width, "little")


class Reader:
    """Takes fields from bytes, front to back."""

    def __init__(self, data):
        self.data = data
        self.offset = 0

    def take(self, length):
        field = self.data[self.offset : self.offset + length]
        require(len(field) == length, "the bytes end too early")
        self.offset += length
        return field

    def number(self, width):
        return int.from_bytes(self.take(width), "little")

    def varint(self):
        value = 0
        for shift in range(0, 35, 7):
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                require(byte > 0 or shift == 0, "a padded varint")
                require(value < 2**32, "a varint above 32 bits")
                return value
        raise Refused("a varint of more than 5 bytes")

    def end(self):
        require(self.offset == len(self.data), "bytes after the last field")


# Values as the JSON shows them.


def identifier(text):
    value = bytes.fromhex(text)
    require(len(value) == 48 and value.hex() == text, "not an identifier")
    return value


def code_of(name, names):
    require(name in names, f"an unknown name: {name}")
    return number(names.index(name) + 1, 1)


def bech32_remainder(values):
    remainder = 1
    for value in values:
        top = remainder >> 25
        remainder = (remainder & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(BECH32_GENERATORS):
            if top >> bit & 1:
                remainder ^= generator
    return remainder


def address(text):
    """One symbol for the type, 77 for the hash and a bit of padding, 6 for the checksum."""
    prefix, _, symbols = text.rpartition("1")
    require(prefix in PREFIXES and len(symbols) == 84, "an address of another form")
    require(set(symbols) <= set(SYMBOLS), "an address with a strange symbol")
    values = [SYMBOLS.index(symbol) for symbol in symbols]
    expanded_prefix = [ord(letter) >> 5 for letter in prefix] + [0] + [ord(letter) & 31 for letter in prefix]
    require(bech32_remainder(expanded_prefix + values) == BECH32M_CONSTANT, "an address with a wrong checksum")
    bits = 0
    for value in values[1:78]:
        bits = bits << 5 | value
    require(values[0] <= 2 and bits & 1 == 0, "an address of no known type or with padding that is not zero")
    return number(values[0], 1) + (bits >> 1).to_bytes(48, "big")


def encode_outcome(row):
    payers = sorted(address(text) for text in row["payers"])
    require(len(set(payers)) == len(payers) <= MAXIMUM_PAYERS, "payers that repeat or are too many")
    note_hash = row.get("note_hash")
    fields = [identifier(row["transaction_id"]), code_of(row["outcome"], OUTCOMES), number(int(row["fee"]), 8)]
    fields += [NO_ID if note_hash is None else identifier(note_hash), number(len(payers), 1)]
    return b"".join(fields + payers)


def encode_change(row):
    outpoint = row["outpoint"]
    fields = [address(row["address"]), number(row["index"], 4), code_of(row["kind"], KINDS)]
    fields += [code_of(row["source"], SOURCES), number(int(row["amount"]), 8)]
    fields += [identifier(outpoint["transaction_id"]), outpoint["output_index"].to_bytes(4, "big")]
    return b"".join(fields + [identifier(row["transaction_id"])])


def encode_changes(rows):
    require(sorted(row["index"] for row in rows) == list(range(len(rows))), "changes are not counted from 0")
    return [encode_change(row) for row in sorted(rows, key=lambda row: (address(row["address"]), row["index"]))]


# Lists.


def split_of(count):
    """The largest power of two below the count."""
    return 1 << ((count - 1).bit_length() - 1)


def join(left, right):
    return digest("SVC_LIST_V1", left + right)


def root_over(count, tree):
    return digest("SVC_LIST_ROOT_V1", number(count, 8) + tree)


def tree_of(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else NO_ID
    middle = split_of(len(leaves))
    return join(tree_of(leaves[:middle]), tree_of(leaves[middle:]))


def list_root(leaves):
    return root_over(len(leaves), tree_of(leaves))


def append_to_peaks(peaks, count, leaf):
    """Joins a new leaf with the perfect trees of the same size at the end, one for each low bit of the count set."""
    while count & 1:
        leaf = join(peaks.pop(), leaf)
        count >>= 1
    peaks.append(leaf)


def root_of_peaks(peaks, count):
    tree = peaks[-1]
    for peak in reversed(peaks[:-1]):
        tree = join(peak, tree)
    return root_over(count, tree)


def read_list_proof(reader):
    require(reader.number(1) == 1, "a list proof of another version")
    count, wanted = reader.number(8), reader.varint()
    require(wanted <= MAXIMUM_POSITIONS, "too many positions")
    positions = [reader.number(8) for _ in range(wanted)]
    require(positions == sorted(set(positions)), "positions do not ascend")
    require(all(position < count for position in positions), "a position outside the list")
    return count, positions, [reader.take(48) for _ in range(reader.varint())]


def fold(first, count, leaves, nodes):
    """The tree over a range, from its known leaves by position and the proof's nodes, which are used up."""
    if not leaves:
        require(nodes, "a node is missing")
        return nodes.pop(0)
    if count == 1:
        return leaves[first]
    middle = first + split_of(count)
    left = {at: leaf for at, leaf in leaves.items() if at < middle}
    right = {at: leaf for at, leaf in leaves.items() if at >= middle}
    left_tree = fold(first, middle - first, left, nodes)
    return join(left_tree, fold(middle, first + count - middle, right, nodes))


def require_root(count, leaves, nodes, root):
    tree = fold(0, count, leaves, nodes) if count > 0 else NO_ID
    require(not nodes, "a node is left over")
    require(root_over(count, tree) == root, "the proof leads to another root")


# Proofs.


def read_outcome(reader):
    before_payers = reader.take(48 + 1 + 8 + 48)
    payers = reader.varint()
    require(payers <= MAXIMUM_PAYERS, "too many payers")
    return before_payers + number(payers, 1) + reader.take(payers * ADDRESS_BYTES)


def read_change(reader):
    return reader.take(CHANGE_BYTES)


def open_proof(proof, label, read_leaf, root):
    """The number of leaves in the list, and those that the proof shows, by position."""
    reader = Reader(proof)
    count, positions, nodes = read_list_proof(reader)
    shown = {position: read_leaf(reader) for position in positions}
    reader.end()
    require_root(count, {at: digest(label, leaf) for at, leaf in shown.items()}, nodes, root)
    return count, shown


def open_outcomes(proof, root):
    return open_proof(proof, "SVC_OUTCOME_V1", read_outcome, root)


def open_changes(proof, root):
    return open_proof(proof, "SVC_CHANGE_V1", read_change, root)


def open_history(proof, claimed_ids, root):
    """The heights at which the claimed ids are proven to lie."""
    reader = Reader(proof)
    count, positions, nodes = read_list_proof(reader)
    reader.end()
    require(len(positions) == len(claimed_ids), "another number of ids")
    require_root(count, dict(zip(positions, claimed_ids)), nodes, root)
    return positions


def all_changes_of(owner, count, shown):
    """Everything that the cut did for an address, if the proof shows that nothing is missing."""
    before = max((at for at, leaf in shown.items() if leaf[:ADDRESS_BYTES] < owner), default=-1)
    behind = min((at for at, leaf in shown.items() if leaf[:ADDRESS_BYTES] > owner), default=count)
    require(all(at in shown for at in range(before + 1, behind)), "the proof is not complete for an address")
    return [shown[at] for at in range(before + 1, behind)]


def refusals(proof, open_altered):
    """Alters single bytes all over a proof; the number of alterations, each of which was refused."""
    tries = min(ALTERATIONS_PER_PROOF, len(proof))
    for attempt in range(tries):
        altered = bytearray(proof)
        altered[attempt * len(proof) // tries] ^= 1 << attempt % 8
        try:
            open_altered(bytes(altered))
        except Refused:
            continue
        raise Refused(f"an altered proof was accepted: {altered.hex()}")
    return tries


# What is checked.


def parse_header(encoded):
    reader = Reader(encoded)
    header = {
        name: reader.number(length) if length <= 8 else reader.take(length) for name, length in HEADER_FIELDS.items()
    }
    reader.end()
    require(header["version"] == 1 and header["proposer"] < 64, "a header of another version or an unknown proposer")
    require(header["registered_count"] <= 256, "too many registered blocks")
    require(header["registered_bytes"] <= 64_000 * header["registered_count"], "registered blocks that are too large")
    return header


def check_headers(cuts, chain_id):
    """All headers and all cut ids, by height; the genesis has an id and no header."""
    headers, ids, peaks = [None], [chain_id], []
    for height, cut in enumerate(cuts, 1):
        encoded = bytes.fromhex(cut["header_hex"])
        header = parse_header(encoded)
        append_to_peaks(peaks, height - 1, ids[-1])
        require(header["chain_id"] == chain_id, "a header of another chain")
        require(header["height"] == cut["height"] == height, "heights do not follow each other")
        require(header["parent_cut_id"] == ids[-1], "another parent")
        require(header["history_root"] == root_of_peaks(peaks, height) == list_root(ids), "another history root")
        headers.append(header)
        ids.append(digest("SVC_CUT_V1", encoded))
    return headers, ids


def check_history_proof(history, headers, ids):
    proof, root = bytes.fromhex(history["proof_hex"]), headers[history["height"]]["history_root"]
    claimed_ids = [ids[height] for height in history["heights"]]
    require(open_history(proof, claimed_ids, root) == history["heights"], "a history proof of other heights")
    return refusals(proof, lambda altered: open_history(altered, claimed_ids, root))


def check_changes_proof(proof, leaves, owners, root):
    count, shown = open_changes(proof, root)
    for owner in owners:
        listed = [leaf for leaf in leaves if leaf[:ADDRESS_BYTES] == owner]
        require(all_changes_of(owner, count, shown) == listed, "a proof and a list show other changes")
    return refusals(proof, lambda altered: open_changes(altered, root))


def check_outcomes_proof(proof, leaves, transaction_ids, root):
    count, shown = open_outcomes(proof, root)
    require(count == len(leaves), "a proof over another number of outcomes")
    require(all(leaves[at] == leaf for at, leaf in shown.items()), "a proof and a list show other outcomes")
    require({leaf[:48] for leaf in shown.values()} == transaction_ids, "outcomes of other transactions")
    return refusals(proof, lambda altered: open_outcomes(altered, root))


def check_cut(cut, header, owners, checked):
    outcomes = [encode_outcome(row) for row in cut["outcomes"]]
    changes = encode_changes(cut["changes"])
    outcome_root, changes_root = header["outcome_root"], header["changes_root"]
    require(list_root([digest("SVC_OUTCOME_V1", leaf) for leaf in outcomes]) == outcome_root, "another outcome root")
    require(list_root([digest("SVC_CHANGE_V1", leaf) for leaf in changes]) == changes_root, "another changes root")
    proof = bytes.fromhex(cut["changes_proof_hex"])
    checked["altered_proofs_refused"] += check_changes_proof(proof, changes, owners, changes_root)
    if cut["outcomes_proof"] is not None:
        proof = bytes.fromhex(cut["outcomes_proof"]["proof_hex"])
        asked = {identifier(text) for text in cut["outcomes_proof"]["transaction_ids"]}
        checked["altered_proofs_refused"] += check_outcomes_proof(proof, outcomes, asked, outcome_root)
        checked["outcomes_proofs"] += 1
    checked["changes_proofs"] += 1
    checked["outcomes"] += len(outcomes)
    checked["changes"] += len(changes)


def check(dump):
    headers, ids = check_headers(dump["cuts"], identifier(dump["chain_id"]))
    owners = [address(text) for text in dump["addresses"]]
    checked = {"cuts": len(dump["cuts"]), "addresses": len(owners)}
    checked |= {"outcomes": 0, "changes": 0, "outcomes_proofs": 0, "changes_proofs": 0, "history_proofs": 1}
    checked["altered_proofs_refused"] = check_history_proof(dump["history_proof"], headers, ids)
    for cut, header in zip(dump["cuts"], headers[1:]):
        check_cut(cut, header, owners, checked)
    return checked


if __name__ == "__main__":
    try:
        print(json.dumps(check(json.load(sys.stdin))))
    except Refused as refusal:
        sys.exit(f"refused: {refusal}")
