import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addressFromPublicKey,
  burnAddress,
  init,
  inspectTransaction,
  type TransactionInspection,
  WalletRoot,
} from 'svc-wasm';
import { developmentManifest } from '../../test/testing/development-manifest.ts';
import { WalletError } from '../errors.ts';
import type { Branch, OwnAddress } from '../state/addresses.ts';
import type { Coin } from '../state/outputs.ts';
import { buildTransaction } from './build.ts';
import { massModelOf, termsOf } from './mass-model.ts';
import {
  batchesOf,
  type Order,
  type Plan,
  planOrder,
  planSplit,
  planSweep,
  type SpendContext,
  TooFewCoins,
} from './plan.ts';

await init();

const root = WalletRoot.fromMnemonic(`${'abandon '.repeat(23)}art`);
const WINDOW = { from: 5, until: 50 };
const terms = termsOf(developmentManifest());
const mass = massModelOf(terms);

function own(id: number, branch: Branch, isKeyRegistered: boolean): OwnAddress {
  const address = addressFromPublicKey(root.derivePublicKey(0, branch, id), 'development');
  return {
    id,
    branch,
    position: id,
    address,
    label: null,
    issuedAtMillis: null,
    usedHeight: null,
    isKeyRegistered,
    balance: 0n,
    outputCount: 0,
  };
}

/** Odd addresses have their key in the registry. */
const OWN = Array.from({ length: 6 }, (_, id) => own(id, 0, id % 2 === 1));
const CHANGE = own(9, 1, false).address;
const STRANGER = addressFromPublicKey(root.derivePublicKey(7, 0, 0), 'development');

const context: SpendContext = {
  terms,
  mass,
  feeMax: 10_000_000n,
  addressOf: ({ addressId }) => OWN[addressId] as OwnAddress,
};

function coins(...amounts: bigint[]): Coin[] {
  return amounts.map((amount, id) => ({
    id,
    transactionId: id.toString(16).padStart(96, '7'),
    outputIndex: id,
    addressId: id % OWN.length,
    amount,
  }));
}

function plan(order: Order, have: readonly Coin[], over: Partial<SpendContext> = {}): Plan {
  const descending = [...have].sort((a, b) => (a.amount > b.amount ? -1 : 1));
  const source = {
    smallestAtLeast: (amount: bigint) => descending.findLast((coin) => coin.amount >= amount),
    largest: (limit: number) => descending.slice(0, limit),
  };
  return planOrder(order, source, { ...context, ...over });
}

function built(made: Plan): TransactionInspection {
  const { wire } = buildTransaction(made, CHANGE, WINDOW, context, root);
  return JSON.parse(inspectTransaction(wire, terms.manifest)) as TransactionInspection;
}

function sum(list: readonly { readonly amount: bigint | string }[]): bigint {
  return list.reduce((total, { amount }) => total + BigInt(amount), 0n);
}

function total(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, amount) => all + amount, 0n);
}

function refused(kind: string, call: () => unknown): WalletError {
  let found: unknown;
  assert.throws(call, (error) => {
    found = error;
    assert.ok(error instanceof WalletError, String(error));
    assert.equal(error.kind, kind);
    return true;
  });
  return found as WalletError;
}

function payment(amount: bigint, more: Partial<Order> = {}): Order {
  return { payments: [{ address: STRANGER, amount }], subtractFee: false, ...more };
}

test('a payment pays the recipient first, the change to the wallet, and the exact least fee', () => {
  const said = built(plan(payment(250_000_000n), coins(1_000_000_000n)));
  assert.deepEqual(said.outputs[0], { address: STRANGER, amount: '250000000' });
  assert.equal(said.outputs[1]?.address, CHANGE);
  assert.equal(1_000_000_000n - sum(said.outputs), BigInt(said.minimum_fee));
  assert.equal(said.witnesses[0]?.profile, 'inline');
});

test('keys that the registry holds are referenced, which makes the payment cheaper', () => {
  const [inline, referenced] = [0, 1].map((addressId) =>
    built(plan(payment(5n), [{ ...(coins(10_000_000n)[0] as Coin), addressId }])),
  );
  assert.deepEqual(
    referenced?.witnesses.map(({ profile }) => profile),
    ['referenced'],
  );
  assert.ok(BigInt(referenced?.minimum_fee) < BigInt(inline?.minimum_fee as string));
});

test('coins of one address are spent by one signature, beside those of another', () => {
  const have = coins(40n, 50n, 60n, 70n, 80n, 90n, 100n, 110n).map((coin, at) => ({
    ...coin,
    amount: coin.amount * 1_000_000n,
    addressId: at % 2,
  }));
  const made = plan(payment(590_000_000n), have);
  assert.equal(made.coins.length, 8);
  const said = built(made);
  assert.deepEqual(said.witnesses.map(({ profile }) => profile).sort(), [
    'inline',
    'referenced',
    ...Array<string>(6).fill('repeated'),
  ]);
  assert.equal(said.signatures, '2');
  assert.deepEqual([said.fee, said.minimum_fee], [String(made.fee), String(made.fee)]);
});

test('batches of a sweep keep an address together and leave out what costs more than it is worth', () => {
  const cost = mass.inlineInput * terms.minFeePerMass;
  const [base] = coins(cost) as [Coin];
  const many = Array.from({ length: 20 }, (_, id) => ({ ...base, id, addressId: id % 4 }));
  const rich = { ...base, id: 30, addressId: 4, amount: 10n * cost };
  const dust = { ...rich, id: 31, amount: mass.repeatedInput * terms.minFeePerMass };
  const alone = { ...base, id: 32, addressId: 5, amount: mass.referencedInput };
  const batches = batchesOf([...many, dust, rich, alone], context);
  const moved = batches.flat().map(({ id }) => id);
  assert.deepEqual(
    moved.sort((a, b) => a - b),
    [...many.map(({ id }) => id), 30],
  );
  for (const batch of batches) {
    assert.ok(batch.length <= terms.inputsMax);
    const runs = batch.filter((coin, at) => coin.addressId !== batch[at - 1]?.addressId);
    assert.equal(runs.length, new Set(batch.map(({ addressId }) => addressId)).size);
    assert.ok(sum(batch) > planSweep(STRANGER, batch, context).fee);
  }
});

test('inputs equal outputs and fee, for any coins and payments, and the fee is within its bounds', () => {
  const orders = fc.record({
    amounts: fc.array(fc.bigInt({ min: 1n, max: 3_000_000n }), { minLength: 1, maxLength: 7 }),
    subtractFee: fc.boolean(),
    feePerMass: fc.option(fc.bigInt({ min: 1n, max: 40n }), { nil: undefined }),
    have: fc.array(fc.bigInt({ min: 1n, max: 4_000_000n }), { minLength: 1, maxLength: 12 }),
  });
  let made = 0;
  fc.assert(
    fc.property(orders, ({ amounts, subtractFee, feePerMass, have }) => {
      const order: Order = {
        payments: amounts.map((amount) => ({ address: STRANGER, amount })),
        subtractFee,
        ...(feePerMass === undefined ? {} : { feePerMass }),
      };
      let found: Plan;
      try {
        found = plan(order, coins(...have));
      } catch (error) {
        assert.ok(error instanceof WalletError);
        assert.ok(['insufficient_funds', 'amount_below_fee'].includes(error.kind), error.kind);
        return;
      }
      made++;
      const asked = sum(order.payments);
      const paid = sum(found.payments);
      assert.equal(sum(found.coins), paid + total(found.change) + found.fee);
      assert.ok(subtractFee ? paid <= asked && asked - paid <= found.fee : paid === asked);
      assert.ok(found.payments.every(({ amount }) => amount > 0n));
      assert.ok(found.coins.length <= 8 && found.fee <= context.feeMax);
      const waste = (mass.inlineInput + mass.output) * found.feePerMass;
      if (made > 12) return;
      const said = built(found);
      const least = BigInt(said.mass) * found.feePerMass;
      assert.ok(found.fee >= least && found.fee <= least + waste);
      if (found.change.length > 0) assert.equal(found.fee, least);
    }),
    { numRuns: 400 },
  );
  assert.ok(made > 50, `${made} made`);
});

test('change becomes the coins that a float lacks, at the exact fee of their outputs', () => {
  const float = { missing: 40, piece: 20_000_000n };
  for (const subtractFee of [false, true]) {
    const order = payment(250_000_000n, { subtractFee });
    const found = plan(order, coins(2_000_000_000n), { float });
    const whole = plan(order, coins(2_000_000_000n));
    assert.equal(found.change.length, terms.outputsMax - 1);
    assert.deepEqual(found.payments, whole.payments, 'the recipient pays for no split');
    const said = built(found);
    assert.equal(2_000_000_000n - sum(said.outputs), BigInt(said.minimum_fee));
    assert.ok(said.outputs.slice(1).every(({ address }) => address === CHANGE));
  }
  const feeMax = plan(payment(5n), coins(2_000_000_000n)).fee;
  assert.equal(plan(payment(5n), coins(2_000_000_000n), { float, feeMax }).change.length, 1);
});

test('a split pays nobody, and what it gains comes within a few splits', () => {
  const [coin] = coins(2_000_000_000n) as [Coin];
  const { gained, plan: made } = planSplit(coin, { missing: 40, piece: 20_000_000n }, context);
  assert.deepEqual([made.payments.length, made.change.length, gained], [0, terms.outputsMax, 40]);
  const said = built(made);
  assert.equal(2_000_000_000n - sum(said.outputs), BigInt(said.minimum_fee));
});

test('a rest that is not worth an output goes to the fee and not to an output', () => {
  const least = plan(payment(1n), coins(1_000_000_000n)).fee - mass.output * 10n;
  const made = plan(payment(1_000_000n), coins(1_000_000n + least + 5n));
  assert.deepEqual([made.change, made.fee], [[], least + 5n]);
});

test('the fee comes out of the payments in equal shares, never below an atom', () => {
  const order: Order = {
    payments: [3_000_000n, 4_000_000n, 5_000_000n].map((amount) => ({ address: STRANGER, amount })),
    subtractFee: true,
  };
  const made = plan(order, coins(50_000_000n));
  assert.equal(12_000_000n - sum(made.payments), made.fee);
  const shares = made.payments.map(
    ({ amount }, at) => (order.payments[at]?.amount as bigint) - amount,
  );
  assert.ok((shares[0] as bigint) - (shares[2] as bigint) <= 1n);
  assert.equal(
    refused('amount_below_fee', () =>
      plan(payment(made.fee / 2n, { subtractFee: true }), coins(50_000_000n)),
    ).path,
    'amount',
  );
});

test('a sweep leaves nothing behind', () => {
  const have = coins(5_000_000n, 6_000_000n, 7_000_000n);
  const made = planSweep(STRANGER, have, context);
  assert.deepEqual([made.change, sum(made.payments) + made.fee], [[], 18_000_000n]);
  const said = built(made);
  assert.equal(said.outputs.length, 1);
  assert.equal(BigInt(said.minimum_fee), made.fee);
});

test('a fee above the cap is refused, whatever rules a node names', () => {
  refused('fee_above_cap', () => plan(payment(1n), coins(1_000_000_000n), { feeMax: 1_000n }));
  const dear = termsOf(developmentManifest({ min_fee_per_mass: 1_000_000n }));
  refused('fee_above_cap', () =>
    plan(payment(1n), coins(10n ** 12n), { terms: dear, mass: massModelOf(dear) }),
  );
});

test('what is missing is told', () => {
  const error = refused('insufficient_funds', () => plan(payment(10_000_000n), coins(1_000_000n)));
  assert.ok(error instanceof TooFewCoins && error.missing > 9_000_000n);
  assert.match(String(error.details['missing']), /^0\.09[0-9]{6}$/);
});

test('payload texts travel with the outputs they belong to', () => {
  const order: Order = {
    payments: [
      { address: STRANGER, amount: 5n },
      { address: STRANGER, amount: 6n, payloadText: 'invoice 7' },
    ],
    subtractFee: false,
  };
  assert.match(built(plan(order, coins(10_000_000n))).payload_hex, /^53564350/);
});

test('an operation is signed by its owner and takes its bond out of the inputs', () => {
  const owner = OWN[1] as OwnAddress;
  const order: Order = {
    payments: [],
    subtractFee: false,
    operation: {
      owner,
      bonded: 700_000n,
      request: {
        type: 'bond',
        data: {
          validator_id: 'ab'.repeat(48),
          owner_address: owner.address,
          reward_address: owner.address,
          amount: '700000',
        },
      },
    },
  };
  const made = plan(order, coins(5_000_000n));
  const said = built(made);
  assert.deepEqual(
    said.witnesses.map(({ profile }) => profile),
    ['inline', 'referenced'],
  );
  assert.equal(5_000_000n - sum(said.outputs) - 700_000n, made.fee);
});

test('an owner whose key came into the registry after it was read spends its own coins', () => {
  const owner = { ...(OWN[1] as OwnAddress), isKeyRegistered: false };
  const order: Order = {
    payments: [],
    subtractFee: false,
    operation: {
      owner,
      bonded: 0n,
      request: { type: 'unbond', data: { position_id: 'ab'.repeat(48), amount: '700000' } },
    },
  };
  const said = built(plan(order, [{ ...(coins(5_000_000n)[0] as Coin), addressId: 1 }]));
  assert.deepEqual(
    said.witnesses.map(({ profile }) => profile),
    ['referenced', 'inline'],
  );
});

test('a burn is an output to the burn address like any other', () => {
  const order = {
    payments: [{ address: burnAddress('development'), amount: 77n }],
    subtractFee: false,
  };
  assert.equal(built(plan(order, coins(5_000_000n))).outputs[0]?.amount, '77');
});
