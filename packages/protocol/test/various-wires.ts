/**
 * Transactions of every form as wires, and blocks of them: for tests that compare two ways to decode them.
 */
import { encodeBlockBody } from '../src/block/block-body.ts';
import { encodeExtranonce } from '../src/block/extranonce.ts';
import type { Manifest } from '../src/manifest/manifest.ts';
import { assembleTransaction } from '../src/transaction/assemble.ts';
import { encodeWitnessWithProfile } from '../src/transaction/witness.ts';
import { seededBytes } from './seeded-bytes.ts';
import {
  operationRequests,
  outpoint,
  person,
  rawBody,
  rawInputs,
  repeatedInputs,
  signAll,
} from './transaction-fixture.ts';

/** As few bytes as a transaction can have: an input, an output, and an invalid signature without its key. */
export function smallestWire(manifest: Manifest, input: number): Uint8Array {
  const body = rawBody(manifest, { inputs: rawInputs(input) });
  const witness = encodeWitnessWithProfile('referenced', null, seededBytes('signature', 3_309));
  return assembleTransaction(body, [witness], manifest.json);
}

/** No two of these are the same, but most spend the same output. */
export function variousWires(manifest: Manifest): Uint8Array[] {
  const output = { address: person(1).address, amount: '7' };
  const requests = [
    {},
    { inputs: [outpoint(1), outpoint(2)], payload_hex: 'c0ffee' },
    { inputs: repeatedInputs(8), fee: '1000' },
    { outputs: Array.from({ length: 16 }, () => output), fee: '0' },
    ...operationRequests().map((operation) => ({ operation })),
    ...operationRequests().map((operation) => ({ operation, outputs: [] })),
  ];
  return [smallestWire(manifest, 3), ...requests.map((request) => signAll(request, manifest).wire)];
}

/** The body of a block with these transactions, whatever they are. */
export function blockOf(...transactions: Uint8Array[]): Uint8Array {
  return encodeBlockBody({
    payout: person(3).addressBytes,
    extranonce: encodeExtranonce('miner', seededBytes('free', 11)),
    parents: [seededBytes('parent', 48)],
    transactions,
  });
}
