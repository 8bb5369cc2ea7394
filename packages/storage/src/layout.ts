/**
 * Every key and value of the store. A key is a prefix byte and the parts named here, a value what its
 * codec packs. Identifiers, addresses and outpoints are their bytes; heights in keys are 7 bytes and
 * indexes 4, big-endian, so that keys order as the numbers do.
 *
 * Checked records end in a checksum of their own and keep it in snapshots: they cannot be recomputed from
 * others. All others get one from `ChecksummedStore`, which is not part of the value.
 */
import type { Table } from 'svc-ledger';
import type { KeyRange } from './key-value/key-value-store.ts';

/** The format of everything below. A store of another format is migrated or refused at open. */
export const FORMAT_VERSION = 5;

export interface TableLayout {
  readonly prefix: number;
  readonly key: readonly string[];
  readonly value: string;
  readonly checked: boolean;
}

function table(prefix: number, key: readonly string[], value: string): TableLayout {
  return { prefix, key, value, checked: false };
}

function checked(prefix: number, key: readonly string[], value: string): TableLayout {
  return { prefix, key, value, checked: true };
}

/** The state, as the ledger's `StateView` shows it. */
export const STATE_LAYOUT = {
  outputs: table(0x10, ['outpoint'], 'address, amount, source, height'),
  positions: table(0x11, ['position id'], 'what is bonded, for whom, and what unbonds'),
  validators: table(0x12, ['validator id'], 'status, keys, endpoint, commission, stake, epochs'),
  keys: table(0x13, ['key hash'], 'public key'),
  spent: table(0x14, ['outpoint'], 'spender, height'),
  spentLists: table(0x15, ['height'], 'outpoints spent in the cut'),
  anchors: table(0x16, ['height'], 'work half of the subsidy of a cut whose window is open'),
  blocks: table(0x17, ['anchor height', 'block id'], 'registration, payee, fees'),
  bodies: table(0x18, ['body root'], 'block id'),
  registered: table(0x19, ['height'], 'blocks a cut registered and their body roots'),
  pools: table(0x1a, ['epoch'], 'a stake pool that is being paid out'),
  releases: table(0x1d, ['height'], 'what of delegations cannot be slashed any more'),
  epoch: table(0x1b, [], 'the running epoch: committee and attendance'),
  economy: table(0x1c, [], 'the totals'),
  pastCuts: table(0x1e, [], 'peaks of the list of all cuts before the last one'),
} as const satisfies Readonly<Record<Table, TableLayout>>;

export const LAYOUT = {
  ...STATE_LAYOUT,
  /** `format`, `chain`, `head`, `retention`, `compacted`, `filled`: see `codec/meta-records.ts`. */
  meta: checked(0x01, ['name'], 'by name'),
  buckets: table(0x20, ['tree u8', 'prefix'], 'subtree, leaves `key | subtree`, checksum'),

  headers: checked(0x30, ['height'], 'cut id, cut header'),
  cutIds: table(0x31, ['cut id'], 'height'),
  cutBodies: checked(0x32, ['height'], 'cut body'),
  certificates: checked(0x33, ['height'], 'certificate'),
  blockHeaders: checked(0x34, ['block id'], 'block header'),
  blockBodies: checked(0x35, ['block id'], 'block body, in a file if it is large'),
  bodyFiles: checked(0x36, ['file'], 'how many bodies are in a file, and its bytes'),

  unspent: table(0x40, ['tree key'], 'outpoint, address, amount, source, height'),
  balances: table(0x41, ['address'], 'sum and number of outputs'),
  history: table(0x42, ['address', 'height', 'index'], 'history entry without its address'),
  changes: table(0x43, ['height', 'first index'], 'history entries of a cut, a page'),
  cutTransactions: table(0x44, ['height', 'first index'], 'outcomes of a cut, a page'),
  statuses: table(0x45, ['transaction id'], 'last outcome, its block, height and index'),
  work: table(0x46, ['block id'], 'anchor, registration, payout address, reward'),
  events: table(0x47, ['height'], 'rewards, stake payouts, burns, keys, validator events'),
  ownedPositions: table(0x48, ['owner address', 'position id'], 'nothing'),
  keyHeights: table(0x49, ['key hash'], 'height of the cut that registered the key'),
} as const satisfies Readonly<Record<string, TableLayout>>;

export type StoreTable = keyof typeof LAYOUT;

/** All keys of a table, or those that begin with the given bytes. */
export function rangeOf(name: StoreTable, start: Uint8Array = new Uint8Array(0)): KeyRange {
  const from = new Uint8Array(1 + start.length);
  from[0] = LAYOUT[name].prefix;
  from.set(start, 1);
  return { from, to: successor(from) };
}

/** The first key that no longer begins with these bytes. */
export function successor(start: Uint8Array): Uint8Array {
  let end = start.length;
  while (end > 0 && start[end - 1] === 0xff) end--;
  const next = start.slice(0, end);
  next[end - 1] = (next[end - 1] as number) + 1;
  return next;
}
