/**
 * An input as the ledger executes it. The keys that its witness shows are taken out and hashed only when
 * somebody asks: a transaction that waits for a block needs neither copies nor hashes of them.
 */
import type { Outpoint as WireOutpoint } from 'svc-wasm/internal';
import type { Identifier } from '../identifiers.ts';
import { toHex } from '../protocol.ts';
import type { PublicKey } from '../records.ts';
import type { TransactionInput } from '../transaction.ts';
import { publicKeyOf } from './decode-operation.ts';
import { shownKeys } from './witness-keys.ts';

export class WireInput implements TransactionInput {
  readonly transactionId: Identifier;
  readonly outputIndex: number;
  readonly #witness: Uint8Array;

  constructor({ transactionId, outputIndex }: WireOutpoint, witness: Uint8Array) {
    this.transactionId = toHex(transactionId);
    this.outputIndex = outputIndex;
    this.#witness = witness;
  }

  get inlineKeys(): readonly PublicKey[] {
    return shownKeys(this.#witness).map(publicKeyOf);
  }
}
