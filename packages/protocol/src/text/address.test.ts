import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32m } from '@scure/base';
import fc from 'fast-check';
import type { Network } from '../base/networks.ts';
import { NETWORKS } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import { addressType, decodeAddress, decodeNetworkAddress, encodeAddress } from './address.ts';

const networks = Object.keys(NETWORKS) as Network[];
const anyNetwork = fc.constantFrom(...networks);
const anyAddress = fc
  .tuple(fc.constantFrom(0, 1), fc.uint8Array({ minLength: 48, maxLength: 48 }))
  .map(([type, hash]) => Uint8Array.of(type, ...hash));

function refused(code: string, call: () => unknown): void {
  assert.throws(call, (error) => error instanceof SvcError && error.code === code);
}

test('[WASM-05] [WASM-13] an address of each network survives text and back, in either case', () => {
  fc.assert(
    fc.property(anyAddress, anyNetwork, (bytes, network) => {
      const text = encodeAddress(bytes, network);
      assert.equal(text.length, NETWORKS[network].prefix.length + 85);
      assert.deepEqual(decodeAddress(text, network), bytes);
      assert.deepEqual(decodeAddress(text.toUpperCase(), network), bytes);
      assert.equal(decodeNetworkAddress(text).network, network);
    }),
  );
});

test('an address agrees with the generic bech32m conversion of its hash', () => {
  fc.assert(
    fc.property(anyAddress, (bytes) => {
      const words = [bytes[0] as number, ...bech32m.toWords(bytes.subarray(1))];
      assert.equal(encodeAddress(bytes, 'testnet'), bech32m.encode('tsvc', words));
    }),
  );
});

test('an address of another network is refused by name', () => {
  const text = encodeAddress(new Uint8Array(49), 'mainnet');
  assert.throws(
    () => decodeAddress(text, 'testnet', 'to'),
    (error) =>
      error instanceof SvcError &&
      error.code === 'wrong_network' &&
      error.path === 'to' &&
      /expected an address of testnet, found one of mainnet/.test(error.message),
  );
});

test('every single changed character is refused', () => {
  const text = encodeAddress(Uint8Array.of(0, ...new Uint8Array(48).fill(7)), 'development');
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === 'q' ? 'p' : 'q';
    const changed = text.slice(0, at) + other + text.slice(at + 1);
    assert.throws(() => decodeAddress(changed, 'development'), SvcError);
  }
});

test('malformed addresses are refused with bad_address', () => {
  const good = encodeAddress(new Uint8Array(49), 'mainnet');
  const withK = encodeAddress(Uint8Array.of(0, ...new Uint8Array(48).fill(0xb5)), 'mainnet');
  assert.match(withK, /k/);
  const symbols = (type: number, last: number): string =>
    bech32m.encode('svc', [type, ...new Array<number>(76).fill(0), last], 90);
  const table: Record<string, string> = {
    empty: '',
    'mixed case': good.slice(0, -1) + good.slice(-1).toUpperCase(),
    'space before': ` ${good}`,
    'space after': `${good} `,
    'a letter outside ASCII': good.replace('svc', 'ſvc'),
    'the sign of the kelvin, a k in lower case': withK.toUpperCase().replace('K', '\u212a'),
    'padding bit set': symbols(0, 1),
    'type 3': symbols(3, 0),
    'type 31': symbols(31, 0),
    'burn with a hash': bech32m.encode('svc', [2, 1, ...new Array<number>(76).fill(0)], 90),
    'one symbol too few': bech32m.encode('svc', new Array<number>(77).fill(0), 90),
    'one symbol too many': bech32m.encode('svc', new Array<number>(79).fill(0), 90),
    'too long': 'q'.repeat(100_000),
  };
  for (const [name, text] of Object.entries(table)) {
    refused('bad_address', () => assert.fail(`${name}: ${String(decodeAddress(text, 'mainnet'))}`));
  }
});

test('mixed letter case is named as the reason', () => {
  const text = encodeAddress(new Uint8Array(49), 'mainnet');
  assert.throws(() => decodeAddress(`S${text.slice(1)}`, 'mainnet'), /mixes upper and lower case/);
});

test('values that are no text are refused with bad_type', () => {
  for (const value of [undefined, null, 7, {}, [], new Uint8Array(49)]) {
    refused('bad_type', () => decodeAddress(value, 'mainnet'));
  }
});

test('any text either decodes and encodes back to itself or is refused with SvcError', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 120 }), (text) => {
      try {
        const { network, bytes } = decodeNetworkAddress(text);
        assert.equal(encodeAddress(bytes, network), text.toLowerCase());
      } catch (error) {
        assert.ok(error instanceof SvcError);
      }
    }),
  );
});

test('bytes that are no address cannot be encoded', () => {
  refused('bad_address', () => encodeAddress(new Uint8Array(48), 'mainnet'));
  refused('bad_address', () => encodeAddress(Uint8Array.of(3, ...new Uint8Array(48)), 'mainnet'));
  refused('bad_address', () =>
    encodeAddress(Uint8Array.of(2, 1, ...new Uint8Array(47)), 'mainnet'),
  );
});

test('the type is read from the first byte', () => {
  assert.deepEqual(
    [0, 1, 2].map((type) => addressType(Uint8Array.of(type, ...new Uint8Array(48)))),
    ['key', 'multisig', 'burn'],
  );
});
