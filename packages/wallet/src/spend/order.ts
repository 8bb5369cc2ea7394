/**
 * What is to be paid, before it is decided with which outputs.
 */
import { encodeRecipientPayloads, type OperationRequest } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import type { OwnAddress } from '../state/addresses.ts';

export interface Payment {
  readonly address: string;
  readonly amount: bigint;
  /** What the recipient is told; everyone can read it. */
  readonly payloadText?: string;
}

export interface OwnedOperation {
  readonly request: OperationRequest;
  /** Who signs for it. */
  readonly owner: OwnAddress;
  /** What it takes out of the inputs. */
  readonly bonded: bigint;
  /** The consensus key that signs for an operation which names one. */
  readonly possession?: { readonly position: number };
}

export interface Order {
  readonly payments: readonly Payment[];
  /** Whether the fee comes out of the payments. */
  readonly subtractFee: boolean;
  readonly operation?: OwnedOperation;
  /** Above the chain's least; the least unless given. */
  readonly feePerMass?: bigint;
}

/** What the payments and the operation move, without the fee. */
export function totalOf(order: Order): bigint {
  return order.payments.reduce((sum, { amount }) => sum + amount, order.operation?.bonded ?? 0n);
}

/** Payments come first in the outputs, so that their places are known before the fee is. */
export function payloadOf(order: Order): string {
  const entries = order.payments.flatMap(({ payloadText }, at) =>
    payloadText === undefined ? [] : [{ output_index: String(at), text: payloadText }],
  );
  return entries.length === 0 ? '' : toHex(encodeRecipientPayloads(JSON.stringify(entries)));
}
