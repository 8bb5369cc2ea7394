/**
 * A declared fee cannot be falsified: whatever amounts the signers are given, the assembled
 * transaction is refused or pays exactly the fee that each of them saw.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  COIN,
  manifestWith,
  operationRequest,
  outpoint,
  payment,
  person,
  signAll,
  signWith,
} from '../../test/transaction-fixture.ts';
import { CONTEXTS } from '../base/labels.ts';
import { SvcError } from '../base/svc-error.ts';
import { init } from '../entry/node.ts';
import { assembleTransaction } from './assemble.ts';
import { encodeTransactionBody } from './encode-body.ts';
import { inspectTransactionBody } from './inspect-body.ts';
import { inspectTransaction } from './inspect-transaction.ts';
import { spendMessage } from './messages.ts';
import { quoteTransaction } from './quote.ts';
import type { BodyInspection, TransactionQuote, TransactionVerification } from './request.ts';
import { verifyTransaction } from './verify.ts';
import { encodeWitness } from './witness.ts';

const PAID = 5n * COIN;
const FEE = COIN / 100n;

await init();
const manifest = manifestWith();

interface Device {
  /** Whose key the device holds; it signs one input. */
  readonly person: number;
  /** The amount of its input that it is given. */
  readonly told: bigint;
}

function bodyOfInputs(count: number, fee?: bigint): Uint8Array {
  const inputs = Array.from({ length: count }, (_, i) => outpoint(i));
  const request = payment({ inputs, ...(fee === undefined ? {} : { fee: String(fee) }) });
  return encodeTransactionBody(JSON.stringify(request), manifest.json);
}

/** Each device signs its own input of the body with the amount it was given; they are put together. */
function signApart(body: Uint8Array, devices: readonly Device[]): Uint8Array {
  const witnesses = devices.map((device, i) => {
    const { address, publicKey } = person(device.person);
    const previous = JSON.stringify({ address, amount: String(device.told) });
    const message = spendMessage(body, i, previous, manifest.json);
    return encodeWitness(publicKey, signWith(person(device.person), message, CONTEXTS.spend));
  });
  return assembleTransaction(body, witnesses, manifest.json);
}

function verifyAgainst(wire: Uint8Array, devices: readonly Device[], real: readonly bigint[]) {
  const previous = devices.map((device, i) => ({
    address: person(device.person).address,
    amount: String(real[i]),
  }));
  const verified = verifyTransaction(wire, JSON.stringify(previous), null, manifest.json);
  return JSON.parse(verified) as TransactionVerification;
}

const shownBy = (body: Uint8Array) =>
  JSON.parse(inspectTransactionBody(body, manifest.json)) as BodyInspection;

test('two devices that sign one input each: undeclared, the fee is a lie; declared, it is refused', () => {
  const devices = [
    { person: 0, told: 1_000n * COIN },
    { person: 1, told: 5n * COIN },
  ];
  const real = devices.map(({ told }) => told);
  const undeclared = signApart(bodyOfInputs(2), devices);
  assert.equal(verifyAgainst(undeclared, devices, real).fee, String(1_000n * COIN));
  const body = bodyOfInputs(2, FEE);
  assert.equal(shownBy(body).fee, String(FEE));
  const declared = signApart(body, devices);
  assert.throws(() => verifyAgainst(declared, devices, real), {
    code: 'fee_mismatch',
    message: `the body declares a fee of ${FEE} atoms, the inputs leave ${1_000n * COIN}`,
  });
});

test('every combination of lies about amounts: what is accepted pays the declared fee', () => {
  const amounts = [COIN, 2n * COIN, PAID, PAID + FEE];
  let accepted = 0;
  let tried = 0;
  for (const count of [1, 2, 3]) {
    const body = bodyOfInputs(count, FEE);
    const combinations = amounts.length ** count;
    const nth = (number: number) =>
      Array.from(
        { length: count },
        (_, i) => amounts[Math.floor(number / amounts.length ** i) % amounts.length] as bigint,
      );
    for (let told = 0; told < combinations; told++) {
      const devices = nth(told).map((amount, i) => ({ person: i % 2, told: amount }));
      const wire = signApart(body, devices);
      for (let real = told % 5; real < combinations; real += 5) {
        tried++;
        const truth = nth(real);
        try {
          assert.equal(verifyAgainst(wire, devices, truth).fee, String(FEE));
          accepted++;
          assert.equal(real, told);
        } catch (error) {
          assert.ok(error instanceof SvcError, String(error));
          const sum = truth.reduce((all, amount) => all + amount, 0n);
          const code = sum < PAID ? 'insufficient_inputs' : 'fee_mismatch';
          assert.equal(error.code, sum === PAID + FEE ? 'bad_spend_signature' : code);
        }
      }
    }
  }
  assert.ok(tried > 800 && accepted > 0, `${accepted} of ${tried}`);
});

test('a declared fee is met to the atom, with a bond too, and keeps the minimum', () => {
  for (const operation of [undefined, operationRequest('bond')]) {
    const request = { fee: '200000', ...(operation === undefined ? {} : { operation }) };
    const moved = PAID + (operation === undefined ? 0n : 7n);
    const { wire } = signAll(request, manifest, moved + 200_000n);
    const check = (amount: bigint) => verifyAgainst(wire, [{ person: 0, told: 0n }], [amount]);
    assert.equal(check(moved + 200_000n).fee, '200000');
    for (const difference of [-1n, 1n]) {
      assert.throws(() => check(moved + 200_000n + difference), { code: 'fee_mismatch' });
    }
  }
  const quote = JSON.parse(quoteTransaction(bodyOfInputs(1, 0n), manifest.json));
  const short = BigInt((quote as TransactionQuote).minimum_fee) - 1n;
  const { wire } = signAll({ fee: String(short) }, manifest, PAID + short);
  assert.throws(() => verifyAgainst(wire, [{ person: 0, told: 0n }], [PAID + short]), {
    code: 'fee_too_low',
  });
});

test('the fee is part of the id, costs its nine bytes with the bitmap, and is shown from the bytes', () => {
  const bodies = [bodyOfInputs(1), bodyOfInputs(1, 0n), bodyOfInputs(1, 1n)];
  const shown = bodies.map(shownBy);
  assert.deepEqual(
    shown.map(({ fee }) => fee),
    [undefined, '0', '1'],
  );
  assert.equal(new Set(shown.map(({ transaction_id }) => transaction_id)).size, 3);
  const masses = bodies.map(
    (body) => (JSON.parse(quoteTransaction(body, manifest.json)) as TransactionQuote).mass,
  );
  assert.deepEqual(
    masses.map((mass) => Number(mass) - Number(masses[0])),
    [0, 9, 9],
  );
  const { wire } = signAll({ fee: '12' }, manifest);
  const whole = JSON.parse(inspectTransaction(wire, manifest.json)) as BodyInspection;
  assert.equal(whole.fee, '12');
});
