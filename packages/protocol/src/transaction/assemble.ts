/**
 * Joins a body and its witnesses into a transaction; `docs/protocol.md` 4.4. The kernel decodes the
 * result, and each witness must end where it was given to end.
 */
import {
  SIGNATURE_BYTES,
  TABLE_CONSENSUS_KEY,
  WIRE_FORMAT,
} from '../../assembly/transaction/layout.ts';
import { expectByteList } from '../base/byte-list.ts';
import { concatBytes, expectBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { decodeBody, decodeKeptTransaction } from './decode.ts';
import type { TransactionTable } from './table.ts';

function needsPossession(body: TransactionTable): boolean {
  return body.u32(TABLE_CONSENSUS_KEY) !== 0;
}

/** A place holder for the possession signature of a body that takes one. */
export function emptyPossession(body: TransactionTable): Uint8Array | undefined {
  return needsPossession(body) ? new Uint8Array(SIGNATURE_BYTES) : undefined;
}

function expectWitnesses(body: TransactionTable, value: unknown): readonly Uint8Array[] {
  const witnesses = expectByteList(value, 'witnesses');
  const expected = body.inputCount + (body.operation === 0 ? 0 : 1);
  if (witnesses.length !== expected) {
    const found = `expected ${expected} witnesses, found ${witnesses.length}`;
    throw new SvcError('wrong_witness_count', found, { path: 'witnesses' });
  }
  return witnesses;
}

function expectPossession(
  body: TransactionTable,
  signature: Uint8Array | undefined,
): readonly Uint8Array[] {
  const path = 'possession_signature';
  if (needsPossession(body)) {
    if (signature !== undefined) return [expectBytes(signature, path, SIGNATURE_BYTES)];
    throw new SvcError('possession_missing', 'the operation names a consensus key', { path });
  }
  if (signature === undefined) return [];
  throw new SvcError('possession_unexpected', 'no operation that names a consensus key', { path });
}

export function assemble(
  body: TransactionTable,
  witnesses: readonly Uint8Array[],
  possessionSignature: Uint8Array | undefined,
  manifest: Manifest,
): TransactionTable {
  const parts = expectWitnesses(body, witnesses);
  const possession = expectPossession(body, possessionSignature);
  const wire = concatBytes(Uint8Array.of(WIRE_FORMAT), body.bytes, ...parts, ...possession);
  const table = decodeKeptTransaction(wire, manifest, '');
  const bounds = table.witnessBounds;
  for (const [i, given] of parts.entries()) {
    const length = (bounds[2 * i + 1] ?? 0) - (bounds[2 * i] ?? 0);
    if (length === given.length) continue;
    const found = `expected ${length} bytes of its profile, found ${given.length}`;
    throw new SvcError('bad_length', found, { path: `witnesses[${i}]` });
  }
  return table;
}

/**
 * The transaction in wire encoding. Witnesses come in the order of the inputs, the operation's last.
 * Operations that name a consensus key need its possession signature.
 */
export function assembleTransaction(
  body: Uint8Array,
  witnesses: readonly Uint8Array[],
  manifestJson: string,
  possessionSignature?: Uint8Array,
): Uint8Array {
  const manifest = parseManifest(manifestJson);
  const table = decodeBody(body, manifest);
  return assemble(table, witnesses, possessionSignature, manifest).bytes;
}
