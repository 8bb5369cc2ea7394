/**
 * Signs real transactions with the keys of a development network, for tests.
 */
import { DEVELOPMENT_MNEMONIC, type OutputRecord, outpointOf } from 'svc-ledger';
import {
  assembleTransaction,
  encodeWitness,
  operationMessage,
  possessionMessage,
  spendMessage,
  WalletRoot,
} from 'svc-wasm';
import { CONTEXTS, contextBytes, encodeAddress, fromHex, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { encodeBody, type Manifest } from 'svc-wasm/protocol';

/** An unspent output, by the key of its outpoint. */
export type Coin = readonly [outpoint: string, output: OutputRecord];

export interface Draft {
  /** The account whose coins are spent. */
  readonly from: number;
  readonly coins: readonly Coin[];
  readonly outputs: readonly { readonly address: string; readonly amount: bigint }[];
  readonly validFrom: number;
  readonly validUntil: number;
  readonly payload?: Uint8Array;
  readonly operation?: { readonly type: string; readonly data: Readonly<Record<string, string>> };
  /** The seed of the consensus key that the operation names, which shows that it is there. */
  readonly possessionSeed?: Uint8Array;
}

export function addressText(address: string): string {
  return encodeAddress(fromHex(address), 'development');
}

export function signDraft(draft: Draft, manifest: Manifest): Uint8Array {
  using root = WalletRoot.fromMnemonic(DEVELOPMENT_MNEMONIC, '', 'development');
  const body = encodeBody(JSON.stringify(requestOf(draft)), manifest);
  const publicKey = root.derivePublicKey(0, 0, draft.from);
  const witnesses = draft.coins.map(([, { address, amount }], index) => {
    const previous = JSON.stringify({ address: addressText(address), amount: String(amount) });
    const message = spendMessage(body, index, previous, manifest.json);
    return encodeWitness(publicKey, root.sign(0, 0, draft.from, message, true));
  });
  if (draft.operation !== undefined) {
    const message = operationMessage(body, manifest.json);
    witnesses.push(encodeWitness(publicKey, root.sign(0, 0, draft.from, message, false)));
  }
  if (draft.possessionSeed === undefined)
    return assembleTransaction(body, witnesses, manifest.json);
  const { secretKey } = mlDsa65.keygen(draft.possessionSeed);
  const context = contextBytes(CONTEXTS.possession);
  const possession = mlDsa65.sign(secretKey, possessionMessage(body, manifest.json), { context });
  return assembleTransaction(body, witnesses, manifest.json, possession);
}

function requestOf(draft: Draft) {
  return {
    valid_from_height: String(draft.validFrom),
    valid_until_height: String(draft.validUntil),
    inputs: draft.coins.map(([outpoint]) => {
      const { transactionId, outputIndex } = outpointOf(outpoint);
      return { transaction_id: transactionId, output_index: String(outputIndex) };
    }),
    outputs: draft.outputs.map(({ address, amount }) => ({
      address: addressText(address),
      amount: String(amount),
    })),
    payload_hex: toHex(draft.payload ?? new Uint8Array(0)),
    ...(draft.operation === undefined ? {} : { operation: draft.operation }),
  };
}
