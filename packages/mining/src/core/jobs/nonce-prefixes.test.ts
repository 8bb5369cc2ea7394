import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toHex } from 'svc-wasm/base';
import { hasPrefix, NoncePrefixes, wholeNonce } from './nonce-prefixes.ts';

test('no prefix is out twice at a time, however they come and go', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40 }),
      fc.array(fc.nat(20), { maxLength: 200 }),
      (start, acts) => {
        const prefixes = new NoncePrefixes(start, 16);
        const out: Uint8Array[] = [];
        for (const act of acts) {
          const released = act < 8 ? out.splice(act, 1)[0] : undefined;
          if (released !== undefined) prefixes.release(released);
          const prefix = act >= 8 ? prefixes.allocate() : undefined;
          if (act >= 8) assert.equal(prefix === undefined, out.length === 16);
          if (prefix !== undefined) out.push(prefix);
          assert.equal(new Set(out.map((each) => toHex(each))).size, out.length);
          assert.equal(prefixes.used, out.length);
        }
      },
    ),
  );
});

test('a released prefix comes again only after all others', () => {
  const prefixes = new NoncePrefixes(0, 4);
  const first = prefixes.allocate() as Uint8Array;
  prefixes.release(first);
  const later = [1, 2, 3, 4].map(() => toHex(prefixes.allocate() as Uint8Array));
  assert.deepEqual(later, ['00000001', '00000002', '00000003', '00000000']);
});

test('[STRATUM-04] the prefix is the last bytes of the nonce', () => {
  const prefix = new Uint8Array([1, 2, 3, 4]);
  const whole = wholeNonce(new Uint8Array(20).fill(9), prefix);
  assert.deepEqual([...whole.subarray(18)], [9, 9, 1, 2, 3, 4]);
  assert.equal(hasPrefix(whole, prefix), true);
  assert.equal(wholeNonce(whole, prefix), whole);
  assert.equal(hasPrefix(whole, new Uint8Array([1, 2, 3, 5])), false);
});
