/**
 * Payments of a wallet without its node: each is planned, signed, checked and recorded on the disk.
 */
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import {
  buildTransaction,
  massModelOf,
  planOrder,
  recordRequest,
  recordTransactions,
  type SpendContext,
  termsOf,
} from 'svc-wallet/steps';
import { addressFromPublicKey } from 'svc-wasm';
import { createManifest } from 'svc-wasm/protocol';
import { COIN, type WalletFixture } from './wallet-fixture.ts';

const CLOCK = { ...SYSTEM_CLOCK, now: () => 1_700_000_000_000 };

export function contextOf({ state }: WalletFixture): SpendContext {
  const terms = termsOf(createManifest('development', new Uint8Array(48).fill(0x5c)).json);
  return {
    terms,
    mass: massModelOf(terms),
    feeMax: COIN,
    addressOf: () => state.addresses.get(1),
  };
}

/** The coins of a state as a payment alone sees them. */
export function sourceOf(outputs: WalletFixture['state']['outputs']) {
  return {
    smallestAtLeast: (amount: bigint) => outputs.freeAtLeast(amount, 1)[0],
    largest: (limit: number) => outputs.largest(limit),
  };
}

/** Makes one payment of one input each time that it is called. */
export function payerOf(fixture: WalletFixture): () => void {
  const { root, state } = fixture;
  const context = contextOf(fixture);
  const to = addressFromPublicKey(root.derivePublicKey(7, 0, 0), 'development');
  const change = addressFromPublicKey(root.derivePublicKey(0, 1, 0), 'development');
  let made = 0;
  return () => {
    const order = { payments: [{ address: to, amount: COIN / 2n }], subtractFee: false };
    const plan = planOrder(order, sourceOf(state.outputs), context);
    const built = buildTransaction(plan, change, { from: 1, until: 100 }, context, root);
    const transaction = { kind: 'payment', built, amount: COIN / 2n, recipients: [] };
    const request = {
      requestId: `bench-${made++}`,
      method: 'send',
      params: {},
      isAutomatic: false,
    };
    state.database.transaction(() => {
      const asked = recordRequest(state, request, CLOCK);
      recordTransactions(state, asked, [transaction], { changeAddresses: 0 }, CLOCK);
      state.journal.finishRequest(asked.id, '{}');
    });
  };
}
