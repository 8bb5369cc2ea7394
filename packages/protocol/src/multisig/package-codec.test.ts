import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageOf, signedBy, vaultOf } from '../../test/multisig-fixture.ts';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { equalBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { init } from '../entry/node.ts';
import type { MultisigPackage } from './package-codec.ts';
import { decodePackage, encodePackage, templateDigest } from './package-codec.ts';
import { combineMultisigPackages } from './package-combine.ts';
import { completeMultisigPackage } from './package-complete.ts';
import { openPackage } from './package-open.ts';
import { decodeMultisigPackage, reviewMultisigPackage } from './package-review.ts';

await init();

const vault = vaultOf(2, 3);
const unsigned = packageOf(vault, 'multisig_inline');
const signed = signedBy(unsigned, vault, 0, 2);
const TEMPLATE_BYTES = unsigned.length - 2;
const AMOUNTS_AT = TEMPLATE_BYTES - 16;
const KEYS_AT = AMOUNTS_AT - 3 * 1952;

function flipped(bytes: Uint8Array, at: number, bit: number): Uint8Array {
  const copy = bytes.slice();
  copy[at] = (copy[at] as number) ^ (1 << bit);
  return copy;
}

/** The decoded package, or nothing when it was refused as bad input. */
function decoded(bytes: Uint8Array): MultisigPackage | undefined {
  try {
    return decodePackage(bytes);
  } catch (error) {
    assert.ok(error instanceof SvcError, String(error));
    return undefined;
  }
}

test('a package is read back as it was written, with and without signatures', () => {
  for (const policy of [vault, vaultOf(3, 5)]) {
    for (const profile of ['multisig_inline', 'multisig_referenced'] as const) {
      const start = packageOf(policy, profile);
      for (const bytes of [start, signedBy(start, policy, 1)]) {
        assert.ok(equalBytes(encodePackage(decodePackage(bytes)), bytes));
      }
    }
  }
});

test('a flipped bit of the template is refused or changes the digest', () => {
  const digest = templateDigest(decodePackage(unsigned));
  let accepted = 0;
  for (let at = 0; at < TEMPLATE_BYTES; at += at >= KEYS_AT && at < AMOUNTS_AT ? 41 : 1) {
    const bytes = flipped(unsigned, at, at % 8);
    const found = decoded(bytes);
    if (found === undefined) continue;
    accepted++;
    assert.ok(equalBytes(encodePackage(found), bytes), `byte ${at} has two encodings`);
    assert.ok(!equalBytes(templateDigest(found), digest), `byte ${at} is not in the digest`);
  }
  assert.ok(accepted > 100, `only ${accepted} flips reached the digest`);
});

test('a flipped bit of a signature or bitmap is refused when the package is opened', () => {
  for (let at = TEMPLATE_BYTES; at < signed.length; at += 97) {
    assert.throws(() => openPackage(flipped(signed, at, at % 8), vault.manifestJson), SvcError);
  }
  for (const bit of [0, 1, 2, 3, 7]) {
    assert.throws(() => decodePackage(flipped(signed, TEMPLATE_BYTES, bit)), SvcError);
  }
});

test('tampered amounts leave another fee than the declared one, or make signatures worthless', () => {
  const tampered = (first: bigint, second: bigint): Uint8Array => {
    const bytes = Uint8Array.from(signed);
    const view = new DataView(bytes.buffer);
    for (const [input, more] of [first, second].entries()) {
      const at = AMOUNTS_AT + 8 * input;
      view.setBigUint64(at, view.getBigUint64(at, true) + more, true);
    }
    return bytes;
  };
  const cases: [Uint8Array, string, string][] = [
    [tampered(1n, 0n), 'fee_mismatch', ''],
    [tampered(0n, -1n), 'fee_mismatch', ''],
    [tampered(1n, -1n), 'bad_signature', '.signatures[0][0]'],
  ];
  for (const [bytes, code, place] of cases) {
    assert.throws(() => reviewMultisigPackage(bytes, vault.manifestJson), { code });
    assert.throws(() => completeMultisigPackage(bytes, vault.manifestJson), { code });
    assert.throws(() => combineMultisigPackages([signed, bytes], vault.manifestJson), {
      code,
      path: `packages[1]${place}`,
    });
  }
});

test('every cut-off package and every package with more behind it is refused', () => {
  for (let length = 0; length < signed.length; length += length < KEYS_AT ? 1 : 53) {
    assert.equal(decoded(signed.subarray(0, length)), undefined, `${length} bytes`);
  }
  const longer = new Uint8Array(signed.length + 1);
  longer.set(signed);
  assert.throws(() => decodePackage(longer), { code: 'trailing_bytes' });
});

test('bitmaps with too many signers, strangers, or differing between inputs are refused', () => {
  const decode = (bytes: Uint8Array) => () => decodePackage(bytes);
  const withBitmaps = (...bitmaps: number[]) => {
    const bytes = unsigned.slice();
    bytes.set(bitmaps, TEMPLATE_BYTES);
    return bytes;
  };
  for (const bitmap of [0b111, 0b1000, 0b1000_0001]) {
    assert.throws(decode(withBitmaps(bitmap, bitmap)), { code: 'bad_signers' });
  }
  assert.throws(decode(withBitmaps(0, 1)), { code: 'bad_signers', path: 'package.signatures[1]' });
});

test('policies and orders of keys that no address has are refused', () => {
  const swapped = unsigned.slice();
  swapped.copyWithin(KEYS_AT, KEYS_AT + 1952, KEYS_AT + 3904);
  assert.throws(() => decodePackage(swapped), { code: 'bad_policy' });
  for (const [threshold, members] of [
    [1, 3],
    [3, 3],
    [2, 5],
    [0, 0],
    [255, 255],
  ] as const) {
    const bytes = unsigned.slice();
    bytes.set([threshold, members], KEYS_AT - 2);
    assert.throws(() => decodePackage(bytes), { code: 'bad_policy' });
  }
});

test('what is no package at all is refused', () => {
  for (let i = 0; i < 200; i++) {
    const bytes = seededBytes(`package ${i}`, i * 7);
    assert.equal(decoded(bytes), undefined);
    const tagged = new Uint8Array(bytes.length + 8);
    tagged.set(unsigned.subarray(0, 8));
    tagged.set(bytes, 8);
    assert.equal(decoded(tagged), undefined);
  }
  for (const value of [undefined, null, 'TRMSIGP1', [], {}, 7]) {
    assert.throws(() => decodeMultisigPackage(value as never), { code: 'bad_type' });
  }
  assert.throws(() => decodePackage(new Uint8Array(1 << 20)), { code: 'bad_length' });
});
