import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SvcError } from '../base/svc-error.ts';
import { ATOMS_MAX, formatAmount, parseAmount } from './amount.ts';

function refused(code: string, call: () => unknown): void {
  assert.throws(
    call,
    (error) => error instanceof SvcError && error.code === code && error.path === 'amount',
  );
}

test('[WASM-05] [CONV-03] every amount survives coins and back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: ATOMS_MAX }), (atoms) => {
      const coins = formatAmount(String(atoms));
      assert.match(coins, /^[0-9]+\.[0-9]{8}$/);
      assert.equal(parseAmount(coins), String(atoms));
    }),
  );
});

test('[CONV-03] one coin is a hundred million atoms, also in fractions', () => {
  const table: Record<string, string> = {
    '0': '0',
    '1': '100000000',
    '1.25': '125000000',
    '0.1': '10000000',
    '0.00000001': '1',
    '1.10': '110000000',
    '200000000': '20000000000000000',
    '200000000.00000000': '20000000000000000',
    '90071992.54740993': '9007199254740993',
  };
  for (const [coins, atoms] of Object.entries(table)) assert.equal(parseAmount(coins), atoms);
  assert.equal(formatAmount('0'), '0.00000000');
  assert.equal(formatAmount('1'), '0.00000001');
  assert.equal(formatAmount('9007199254740993'), '90071992.54740993');
});

test('trailing zeros change no amount and a longer fraction is never rounded', () => {
  fc.assert(
    fc.property(fc.nat(199_999_999), fc.stringMatching(/^[0-9]{1,7}$/), (whole, fraction) => {
      const coins = `${whole}.${fraction}`;
      assert.equal(parseAmount(`${coins}0`), parseAmount(coins));
      refused('bad_amount', () => parseAmount(`${coins.padEnd(coins.length + 8, '0')}1`));
    }),
  );
});

test('text that is no amount in coins is refused', () => {
  const bad =
    '|.|.5|5.|1.|-1|+1|01|00.1|1e8|1,5|1_0|0x10| 1|1 |1.000000000|1.2.3|NaN|Infinity|1234567890|１|1\n';
  for (const text of bad.split('|')) refused('bad_amount', () => parseAmount(text));
  refused('bad_amount', () => parseAmount('200000000.00000001'));
  refused('bad_amount', () => parseAmount('9'.repeat(100_000)));
  for (const value of [1, 1n, null, undefined, {}]) {
    refused('bad_type', () => parseAmount(value as string));
  }
});

test('text that is no amount in atoms is refused', () => {
  for (const text of ['', '1.0', '-1', '01', ' 1', '1e3', '0x1']) {
    refused('bad_integer', () => formatAmount(text));
  }
  refused('out_of_range', () => formatAmount(String(ATOMS_MAX + 1n)));
  refused('bad_type', () => formatAmount(5 as unknown as string));
});
