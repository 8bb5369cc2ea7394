/**
 * The payments of full cuts: the opening one of a payer, which shows its key and makes the coins of its lanes,
 * and those that follow, with one input by a referenced key, a small amount to an address that is used
 * once, and the rest as change.
 */
import { createHash } from 'node:crypto';
import {
  assembleTransaction,
  encodeWitness,
  encodeWitnessWithProfile,
  spendMessage,
  transactionId,
} from 'svc-wasm';
import { CONTEXTS, contextBytes, encodeAddress } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { encodeBody, type Manifest } from 'svc-wasm/protocol';
import { type Coin, LANE_AMOUNT, OPENING_OUTPUTS, type Payer } from './full-cuts-plan.ts';

export interface SignedPayment {
  readonly id: string;
  readonly wire: Uint8Array;
}

interface Draft {
  readonly payer: Payer;
  readonly coin: Coin;
  readonly validFrom: number;
  readonly outputs: readonly { readonly address: string; readonly amount: string }[];
  /** Shows the key instead of referring to it. */
  readonly isShown: boolean;
}

const PAID = 10_000n;
const FEE = 100_000n;
const VALIDITY_CUTS = 60;
const SPEND_CONTEXT = contextBytes(CONTEXTS.spend);

export function signOpening(payer: Payer, coin: Coin, manifest: Manifest): SignedPayment {
  const output = { address: payer.text, amount: String(LANE_AMOUNT) };
  const outputs = Array.from({ length: OPENING_OUTPUTS }, () => output);
  return sign({ payer, coin, validFrom: 0, outputs, isShown: true }, manifest);
}

/** The payment and the coin that it leaves to the next one of its lane. */
export function signPayment(
  payer: Payer,
  coin: Coin,
  validFrom: number,
  manifest: Manifest,
): readonly [wire: Uint8Array, change: Coin] {
  const amount = coin.amount - PAID - FEE;
  const outputs = [
    { address: payer.text, amount: String(amount) },
    { address: freshAddress(coin), amount: String(PAID) },
  ];
  const { id, wire } = sign({ payer, coin, validFrom, outputs, isShown: false }, manifest);
  return [wire, { transactionId: id, outputIndex: 0, amount }];
}

function sign({ payer, coin, validFrom, outputs, isShown }: Draft, manifest: Manifest) {
  const { json } = manifest;
  const request = {
    valid_from_height: String(validFrom),
    valid_until_height: String(validFrom + VALIDITY_CUTS),
    inputs: [{ transaction_id: coin.transactionId, output_index: String(coin.outputIndex) }],
    outputs,
    payload_hex: '',
  };
  const body = encodeBody(JSON.stringify(request), manifest);
  const previous = JSON.stringify({ address: payer.text, amount: String(coin.amount) });
  const message = spendMessage(body, 0, previous, json);
  const signature = mlDsa65.sign(payer.secretKey, message, { context: SPEND_CONTEXT });
  const witness = isShown
    ? encodeWitness(payer.publicKey, signature)
    : encodeWitnessWithProfile('referenced', null, signature);
  return { id: transactionId(body, json), wire: assembleTransaction(body, [witness], json) };
}

function freshAddress({ transactionId: id, outputIndex }: Coin): string {
  const hash = createHash('sha384').update(`${id} ${outputIndex}`).digest();
  return encodeAddress(Uint8Array.of(0, ...hash), 'development');
}
