/**
 * Makes transactions of one input and one output with real signatures, for whoever acts in a network of full nodes.
 */

import type { ValidatorKey } from 'svc-consensus/shell';
import { type OutpointKey, outpointOf } from 'svc-ledger';
import {
  assembleTransaction,
  encodeWitness,
  operationMessage,
  possessionMessage,
  spendMessage,
} from 'svc-wasm';
import { CONTEXTS, contextBytes, encodeAddress, fromHex, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { decodeTransaction, encodeBody, type Manifest } from 'svc-wasm/protocol';

export interface Coin {
  readonly outpoint: OutpointKey;
  readonly amount: bigint;
}

/** An account with a real key. */
export interface SigningAccount {
  readonly key: ValidatorKey;
  readonly address: string;
}

export interface TransactionDraft {
  readonly from: SigningAccount;
  readonly coin: Coin;
  readonly fee: bigint;
  readonly validFrom: number;
  readonly validUntil: number;
  /** Signed by the same account. */
  readonly operation?: { readonly type: string; readonly data: Readonly<Record<string, string>> };
  /** The seed of a key that the operation names. */
  readonly possessionSeed?: Uint8Array;
}

export interface SignedTransaction {
  readonly id: string;
  readonly wire: Uint8Array;
}

export function signTransaction(draft: TransactionDraft, manifest: Manifest): SignedTransaction {
  const { from, coin, fee, operation, possessionSeed } = draft;
  const text = encodeAddress(fromHex(from.address), 'development');
  const { transactionId, outputIndex } = outpointOf(coin.outpoint);
  const request = {
    valid_from_height: String(draft.validFrom),
    valid_until_height: String(draft.validUntil),
    inputs: [{ transaction_id: transactionId, output_index: String(outputIndex) }],
    outputs: [{ address: text, amount: String(coin.amount - fee) }],
    payload_hex: '',
    ...(operation === undefined ? {} : { operation }),
  };
  const body = encodeBody(JSON.stringify(request), manifest);
  const previous = JSON.stringify({ address: text, amount: String(coin.amount) });
  const { key } = from;
  const spend = key.signSpend(spendMessage(body, 0, previous, manifest.json));
  const witnesses = [encodeWitness(key.publicKey, spend)];
  if (operation !== undefined) {
    const signature = key.signOperation(operationMessage(body, manifest.json));
    witnesses.push(encodeWitness(key.publicKey, signature));
  }
  const wire =
    possessionSeed === undefined
      ? assembleTransaction(body, witnesses, manifest.json)
      : assembleTransaction(
          body,
          witnesses,
          manifest.json,
          possessionOf(body, possessionSeed, manifest),
        );
  return { id: toHex(decodeTransaction(wire, manifest).id), wire };
}

function possessionOf(body: Uint8Array, seed: Uint8Array, { json }: Manifest): Uint8Array {
  const { secretKey } = mlDsa65.keygen(seed);
  const context = contextBytes(CONTEXTS.possession);
  const random = new Uint8Array(32);
  return mlDsa65.sign(secretKey, possessionMessage(body, json), { context, random });
}
