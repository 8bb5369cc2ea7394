/**
 * Bodies of work blocks; `docs/protocol.md` 6.2. The kernel decodes them, every transaction
 * included; here they are written and their parts taken out.
 */
import {
  BLOCK_BODY_ROOT,
  BLOCK_MASS,
  BLOCK_PARENT_COUNT,
  BLOCK_PARENTS,
  BLOCK_PARENTS_ROOT,
  BLOCK_PAYEE,
  BLOCK_TRANSACTION_COUNT,
  BLOCK_TRANSACTIONS,
  BODY_BYTES_MAX,
  BODY_EXTRANONCE,
  BODY_FORMAT,
  BODY_PAYOUT,
  ENTRY_BYTES,
  ENTRY_WIRE,
  EXTRANONCE_BYTES,
} from '../../assembly/block/layout.ts';
import { MANIFEST_BYTES, TABLE_ID, TABLE_WIRE_BYTES } from '../../assembly/transaction/layout.ts';
import { copyBytes, expectBytes } from '../base/bytes.ts';
import { ADDRESS_BYTES, ID_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { Writer } from '../base/writer.ts';
import { kernel } from '../kernel/current.ts';
import type { KernelInstance } from '../kernel/instance.ts';
import { kernelError } from '../kernel/kernel-errors.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { TransactionTable, viewOf } from '../transaction/table.ts';

export const BLOCK_BODY_BYTES_MAX: number = BODY_BYTES_MAX;
/** Offset of the body in the kernel's input, after the manifest block. */
const BODY_AT = Math.ceil(MANIFEST_BYTES / 64) * 64;

export interface BlockBody {
  readonly payout: Uint8Array;
  readonly extranonce: Uint8Array;
  readonly parents: readonly Uint8Array[];
  /** Wires of the transactions. */
  readonly transactions: readonly Uint8Array[];
}

export interface DecodedTransaction {
  readonly id: Uint8Array;
  readonly wire: Uint8Array;
  /** What the kernel found in the wire: it need not be decoded again. */
  readonly table: TransactionTable;
}

export interface DecodedBlockBody extends Omit<BlockBody, 'transactions'> {
  readonly bodyRoot: Uint8Array;
  readonly parentsRoot: Uint8Array;
  readonly payoutCommitment: Uint8Array;
  readonly mass: bigint;
  readonly transactions: readonly DecodedTransaction[];
}

export function encodeBlockBody(body: BlockBody, path = 'body'): Uint8Array {
  const writer = new Writer()
    .u8(BODY_FORMAT)
    .raw(expectBytes(body.payout, `${path}.payout`, ADDRESS_BYTES))
    .raw(expectBytes(body.extranonce, `${path}.extranonce`, EXTRANONCE_BYTES))
    .varint(body.parents.length);
  body.parents.forEach((id, index) => {
    writer.raw(expectBytes(id, `${path}.parents[${index}]`, ID_BYTES));
  });
  writer.varint(body.transactions.length);
  body.transactions.forEach((wire, index) => {
    writer.counted(expectBytes(wire, `${path}.transactions[${index}]`));
  });
  return writer.finish();
}

/**
 * Checks the form of a body and of its transactions; not whether these may spend. A root that was hashed elsewhere from
 * these very bytes is taken as it is; the caller must not change the bytes any more, and the wires are views of them.
 */
export function decodeBlockBody(
  body: Uint8Array,
  manifest: Manifest,
  path = 'body',
  hashedRoot?: Uint8Array,
): DecodedBlockBody {
  const instance = kernel();
  const hasRoot = hashedRoot !== undefined;
  const checked = checkBody(instance, { body, hasRoot }, manifest, path);
  const { bytes, view, output } = instance;
  const result = (at: number, length: number) => bytes.slice(output + at, output + at + length);
  const firstParent = view.getUint32(output + BLOCK_PARENTS, true);
  const parentCount = view.getUint32(output + BLOCK_PARENT_COUNT, true);
  return {
    payout: copyBytes(checked, BODY_PAYOUT, ADDRESS_BYTES),
    extranonce: copyBytes(checked, BODY_EXTRANONCE, EXTRANONCE_BYTES),
    parents: Array.from({ length: parentCount }, (_, index) =>
      copyBytes(checked, firstParent + index * ID_BYTES, ID_BYTES),
    ),
    transactions: readTransactions(instance, hasRoot ? expectBytes(body, path) : checked.slice()),
    bodyRoot: hashedRoot ?? result(BLOCK_BODY_ROOT, ID_BYTES),
    parentsRoot: result(BLOCK_PARENTS_ROOT, ID_BYTES),
    payoutCommitment: result(BLOCK_PAYEE, ID_BYTES),
    mass: view.getBigUint64(output + BLOCK_MASS, true),
  };
}

/** Returns a view of the bytes that the kernel has checked, in its own memory. */
function checkBody(
  instance: KernelInstance,
  { body, hasRoot }: { readonly body: Uint8Array; readonly hasRoot: boolean },
  manifest: Manifest,
  path: string,
): Uint8Array {
  const { bytes, input } = instance;
  const taken = expectBytes(body, path);
  const { length } = taken;
  if (length > BODY_BYTES_MAX) {
    const found = `expected at most ${BODY_BYTES_MAX} bytes, found ${length}`;
    throw new SvcError('bad_length', found, { path });
  }
  const bodyAt = input + BODY_AT;
  bytes.set(manifest.block, input);
  bytes.set(taken, bodyAt);
  const error = instance.invoke((exports) =>
    exports.blockBodyCheck(input, bodyAt, length, hasRoot ? 1 : 0),
  );
  if (error === 0) return bytes.subarray(bodyAt, bodyAt + length);
  const transaction = instance.exports.blockBodyFault();
  if (transaction < 0) throw kernelError(error, -1, path);
  const item = instance.exports.txErrorIndex();
  throw kernelError(error, item, `${path}.transactions[${transaction}]`);
}

/**
 * Wires are views of one body, and ids and tables are in one piece of memory: a piece for each would cost more than
 * the copying.
 */
function readTransactions(instance: KernelInstance, body: Uint8Array): DecodedTransaction[] {
  const { bytes, view, output } = instance;
  const count = view.getUint32(output + BLOCK_TRANSACTION_COUNT, true);
  const first = output + BLOCK_TRANSACTIONS;
  const entries = bytes.slice(first, first + count * ENTRY_BYTES);
  const tables = { bytes: entries, view: viewOf(entries) };
  const bodyView = viewOf(body);
  const transactions: DecodedTransaction[] = [];
  for (let entry = 0; entry < entries.length; entry += ENTRY_BYTES) {
    const at = tables.view.getUint32(entry + ENTRY_WIRE, true);
    const wire = body.subarray(at, at + tables.view.getUint32(entry + TABLE_WIRE_BYTES, true));
    const id = entries.subarray(entry + TABLE_ID, entry + TABLE_ID + ID_BYTES);
    transactions.push({ id, wire, table: new TransactionTable(wire, tables, entry, bodyView, at) });
  }
  return transactions;
}
