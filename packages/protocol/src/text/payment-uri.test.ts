import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SvcError } from '../base/svc-error.ts';
import { encodeAddress } from './address.ts';
import { writeCoins } from './amount.ts';
import { formatPaymentUri, parsePaymentUri } from './payment-uri.ts';

const bytes = Uint8Array.of(0, ...new Uint8Array(48).fill(9));
const address = encodeAddress(bytes, 'development');
const base = `svc:${address}`;

function parse(uri: string): Record<string, unknown> {
  return JSON.parse(parsePaymentUri(uri, 'development')) as Record<string, unknown>;
}

function refused(code: string, uri: string): void {
  assert.throws(
    () => parsePaymentUri(uri, 'development'),
    (error) => error instanceof SvcError && error.code === code,
    `${uri.slice(0, 200)} should be ${code}`,
  );
}

test('[WASM-05] a payment URI gives address, amount in coins and atoms, label and message', () => {
  assert.deepEqual(parse(`${base}?amount=1.25&label=Caf%C3%A9&message=Order%20%2342+1`), {
    network: 'development',
    address,
    type: 'key',
    amount: '1.25000000',
    amount_atoms: '125000000',
    label: 'Café',
    message: 'Order #42+1',
  });
  assert.deepEqual(parse(base), { network: 'development', address, type: 'key' });
});

test('the scheme is svc on every network, and the address decides which it is', () => {
  for (const network of ['mainnet', 'testnet', 'testnet100', 'development'] as const) {
    const uri = `svc:${encodeAddress(bytes, network)}`;
    assert.equal(
      (JSON.parse(parsePaymentUri(uri, network)) as { network: string }).network,
      network,
    );
  }
  refused('wrong_network', `svc:${encodeAddress(bytes, 'mainnet')}`);
  assert.throws(() => parsePaymentUri(base, 'moon'), SvcError);
});

test('a URI in upper case, as a QR code prefers it, reads the same', () => {
  assert.deepEqual(parse(base.toUpperCase()), parse(base));
});

test('a key that must be understood refuses the URI, any other unknown key does not', () => {
  refused('bad_uri', `${base}?req-lock=1`);
  refused('bad_uri', `${base}?amount=1&req-=1`);
  assert.deepEqual(parse(`${base}?color=red&x-y.z_1=%20`), parse(base));
});

test('no key occurs twice, known or not', () => {
  refused('bad_uri', `${base}?amount=1&amount=1`);
  refused('bad_uri', `${base}?color=red&color=red`);
  refused('bad_uri', `${base}?label=a&amount=1&label=b`);
});

test('malformed URIs are refused', () => {
  const queries = [
    '?',
    '?&',
    '?amount',
    '?amount=1&',
    '?=1',
    '?Amount=1',
    '?am%6Funt=1',
    '?label=%',
    '?label=%2',
    '?label=%g0',
    '?label=%C3',
    '?label=%ED%A0%80',
    '?label=%C0%80',
    '?label=a b',
    '?label=a#b',
    '?label=a=b',
    '?label=é',
    '?label="a"',
    '?label=<a>',
  ];
  for (const query of queries) refused('bad_uri', base + query);
  for (const uri of ['', address, `bitcoin:${address}`, `//${base}`, ` ${base}`]) {
    refused('bad_uri', uri);
  }
  refused('bad_address', `svc://${address}`);
  refused('bad_address', 'svc:');
  refused('bad_address', `${base}#x`);
  refused('bad_uri', `${base}?label=${'a'.repeat(5000)}`);
  assert.throws(() => parsePaymentUri(7 as unknown as string, 'development'), SvcError);
});

test('amounts in a URI follow the rules of amounts, and zero is refused', () => {
  for (const amount of ['', '0', '0.0', '-1', '1e3', '1.123456789', '01', '200000001', '1%0A']) {
    refused('bad_amount', `${base}?amount=${amount}`);
  }
});

test('text that hides or turns around what a person reads is refused', () => {
  for (const hidden of ['%00', '%0A', '%7F', '%C2%85', '%E2%80%AE', '%E2%81%A6', '%EF%BB%BF']) {
    refused('bad_text', `${base}?label=pay${hidden}me`);
  }
  refused('bad_text', `${base}?label=${'a'.repeat(129)}`);
  refused('bad_text', `${base}?message=${'a'.repeat(513)}`);
});

test('what is formatted reads back the same', () => {
  const shown = fc.string({ unit: fc.constantFrom(...Array.from('aZ09 &=?#%+/:é漢😀"<>')) });
  const atoms = fc.bigInt({ min: 1n, max: 20_000_000_000_000_000n });
  fc.assert(
    fc.property(atoms, shown, shown, (amount, label, message) => {
      const coins = writeCoins(amount);
      const request = { network: 'development', address, amount: coins, label, message };
      const read = parse(formatPaymentUri(JSON.stringify(request)));
      assert.deepEqual(read, { ...request, type: 'key', amount_atoms: String(amount) });
    }),
  );
});

test('a URI is written in its shortest form', () => {
  const write = (extra: object): string =>
    formatPaymentUri(
      JSON.stringify({ network: 'development', address: address.toUpperCase(), ...extra }),
    );
  assert.equal(write({}), base);
  assert.equal(write({ amount: '100.10' }), `${base}?amount=100.1`);
  assert.equal(write({ amount: '100' }), `${base}?amount=100`);
  assert.equal(write({ label: 'a b', message: 'é' }), `${base}?label=a%20b&message=%C3%A9`);
  assert.throws(() => write({ amount: '0' }), SvcError);
  assert.throws(() => write({ amount: 1 }), SvcError);
  assert.throws(() => write({ label: 'a\n' }), SvcError);
  assert.throws(() => write({ other: 'a' }), SvcError);
});
