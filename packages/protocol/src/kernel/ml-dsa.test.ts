/**
 * ML-DSA-65 against two other implementations: byte for byte against noble, and by acceptance both
 * ways against OpenSSL; then what it refuses.
 */
import assert from 'node:assert/strict';
import {
  createPrivateKey,
  createPublicKey,
  sign as opensslSign,
  verify as opensslVerify,
} from 'node:crypto';
import { test } from 'node:test';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import { kernelTwins } from '../../test/kernel-twins.ts';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '../base/sizes.ts';
import { CONTEXT_BYTES_MAX } from './ml-dsa.ts';

const ZEROS = new Uint8Array(32);
const ROUNDS = 24;

interface Sample {
  readonly seed: Uint8Array;
  readonly message: Uint8Array;
  readonly context: Uint8Array;
  readonly random: Uint8Array;
}

function sample(round: number): Sample {
  const contextLength = [0, 255, 1, 12][round % 4] as number;
  return {
    seed: seededBytes(`seed ${round}`, 32),
    message: seededBytes(`message ${round}`, [0, 1, 71, 72, 136, 3000][round % 6] as number),
    context: seededBytes(`context ${round}`, contextLength),
    random: seededBytes(`random ${round}`, 32),
  };
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = bytes.slice();
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}

/** Keys in an order in which some sign again soon, some late, and more take turns than the kernel keeps matrices of. */
const TURNS = [0, 0, 1, 0, 2, 3, 4, 0, 5, 5, 1, 2, 3, 4, 5, 0, 1, 1, 4, 4, 4];

const TURN_MESSAGE = seededBytes('message', 48);
const TURN_KEYS = Array.from({ length: 6 }, (_, at) => {
  const { secretKey } = ml_dsa65.keygen(seededBytes(`key ${at}`, 32));
  return { secretKey, signature: ml_dsa65.sign(TURN_MESSAGE, secretKey, { extraEntropy: false }) };
});

/** Where s1 and s2 are in a secret key; pairs of coefficients in 4 bits each: both 4, both -4, and one of either. */
const SHORT_FROM = 128;
const SHORT_TO = 1536;
const EXTREME_KEYS = [0x00, 0x88, 0x08, 0x80].map((pair) => {
  const { secretKey } = ml_dsa65.keygen(ZEROS);
  secretKey.fill(pair, SHORT_FROM, SHORT_TO);
  return { secretKey, signature: ml_dsa65.sign(TURN_MESSAGE, secretKey, { extraEntropy: false }) };
});

for (const { name, mlDsa65 } of await kernelTwins()) {
  test(`a signature does not depend on which keys signed before (${name})`, () => {
    for (const turn of TURNS) {
      const { secretKey, signature } = TURN_KEYS[turn] as (typeof TURN_KEYS)[number];
      assert.deepEqual(mlDsa65.sign(secretKey, TURN_MESSAGE, { random: ZEROS }), signature);
      // Making a key uses a matrix too.
      mlDsa65.keygen(seededBytes(`key ${turn}`, 32));
    }
  });

  test(`keys and signatures are noble's, byte for byte (${name})`, () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { seed, message, context, random } = sample(round);
      const pair = mlDsa65.keygen(seed);
      const other = ml_dsa65.keygen(seed);
      assert.deepEqual(pair.publicKey, other.publicKey);
      assert.deepEqual(pair.secretKey, other.secretKey);
      const hedged = mlDsa65.sign(pair.secretKey, message, { context, random });
      const options = { context, extraEntropy: random };
      assert.deepEqual(hedged, ml_dsa65.sign(message, other.secretKey, options));
      if (round % 3 !== 0) continue;
      const fixed = mlDsa65.sign(pair.secretKey, message, { context, random: ZEROS });
      const plain = ml_dsa65.sign(message, other.secretKey, { context, extraEntropy: false });
      assert.deepEqual(fixed, plain);
    }
  });

  test(`OpenSSL accepts our signatures and we accept OpenSSL's (${name})`, () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { seed, message, context } = sample(round);
      const { publicKey, secretKey } = mlDsa65.keygen(seed);
      const type = { asymmetricKeyType: 'ml-dsa-65' } as const;
      const publicObject = createPublicKey({ key: publicKey, format: 'raw-public', ...type });
      const privateObject = createPrivateKey({ key: seed, format: 'raw-seed', ...type });
      const ours = mlDsa65.sign(secretKey, message, { context });
      assert.equal(opensslVerify(null, message, { key: publicObject, context }, ours), true);
      const theirs = opensslSign(null, message, { key: privateObject, context });
      assert.equal(mlDsa65.verify(publicKey, message, theirs, { context }), true);
      assert.equal(mlDsa65.verify(mlDsa65.expand(publicKey), message, theirs, { context }), true);
    }
  });

  test(`a flipped bit anywhere is refused (${name})`, () => {
    const { seed, message, context } = sample(2);
    const { publicKey, secretKey } = mlDsa65.keygen(seed);
    const expanded = mlDsa65.expand(publicKey);
    const signature = mlDsa65.sign(secretKey, message, { context, random: ZEROS });
    assert.equal(mlDsa65.verify(publicKey, message, signature, { context }), true);
    for (let bit = 0; bit < 8 * SIGNATURE_BYTES; bit += bit < 8 * 3248 ? 41 : 1) {
      assert.equal(
        mlDsa65.verify(expanded, message, flipped(signature, bit), { context }),
        false,
        `bit ${bit}`,
      );
    }
    for (let bit = 0; bit < 8 * PUBLIC_KEY_BYTES; bit += 397) {
      assert.equal(mlDsa65.verify(flipped(publicKey, bit), message, signature, { context }), false);
    }
    assert.equal(mlDsa65.verify(publicKey, flipped(message, 9), signature, { context }), false);
    assert.equal(
      mlDsa65.verify(publicKey, message, signature, { context: flipped(context, 3) }),
      false,
    );
    assert.equal(mlDsa65.verify(publicKey, message, signature), false);
  });

  test(`signing is hedged unless random bytes are given (${name})`, () => {
    const { secretKey, publicKey } = mlDsa65.keygen(ZEROS);
    const message = Uint8Array.of(1);
    const [first, second] = [mlDsa65.sign(secretKey, message), mlDsa65.sign(secretKey, message)];
    assert.notDeepEqual(first, second);
    assert.equal(mlDsa65.verify(publicKey, message, first), true);
    assert.equal(mlDsa65.verify(publicKey, message, second), true);
    const fixed = () => mlDsa65.sign(secretKey, message, { random: ZEROS });
    assert.deepEqual(fixed(), fixed());
  });

  test(`wrong lengths are false in verify and errors elsewhere (${name})`, () => {
    const { secretKey, publicKey } = mlDsa65.keygen(ZEROS);
    const message = Uint8Array.of(1, 2, 3);
    const signature = mlDsa65.sign(secretKey, message);
    const longContext = new Uint8Array(CONTEXT_BYTES_MAX + 1);
    const badLength = (path: string) => ({ name: 'SvcError', code: 'bad_length', path });
    for (const length of [0, SIGNATURE_BYTES - 1, SIGNATURE_BYTES + 1]) {
      assert.equal(mlDsa65.verify(publicKey, message, new Uint8Array(length)), false);
    }
    for (const length of [0, PUBLIC_KEY_BYTES - 1, PUBLIC_KEY_BYTES + 1]) {
      assert.equal(mlDsa65.verify(new Uint8Array(length), message, signature), false);
      assert.throws(() => mlDsa65.expand(new Uint8Array(length)), badLength('publicKey'));
    }
    assert.throws(() => mlDsa65.keygen(new Uint8Array(31)), badLength('seed'));
    assert.throws(() => mlDsa65.sign(secretKey.slice(1), message), badLength('secretKey'));
    assert.throws(
      () => mlDsa65.sign(secretKey, message, { random: new Uint8Array(33) }),
      badLength('random'),
    );
    assert.throws(
      () => mlDsa65.sign(secretKey, message, { context: longContext }),
      badLength('context'),
    );
    const withContext = () =>
      mlDsa65.verify(publicKey, message, signature, { context: longContext });
    assert.throws(withContext, badLength('context'));
    assert.throws(() => mlDsa65.sign(secretKey, new Uint8Array(512 * 1024)), badLength('message'));
  });

  test(`other types than bytes are refused by name (${name})`, () => {
    const { secretKey, publicKey } = mlDsa65.keygen(ZEROS);
    const badType = (path: string) => ({ name: 'SvcError', code: 'bad_type', path });
    const text = 'text' as unknown as Uint8Array;
    const message = new Uint8Array(1);
    assert.throws(() => mlDsa65.keygen(text), badType('seed'));
    assert.throws(() => mlDsa65.sign(text, message), badType('secretKey'));
    assert.throws(() => mlDsa65.sign(secretKey, text), badType('message'));
    assert.throws(
      () => mlDsa65.verify(text, message, new Uint8Array(SIGNATURE_BYTES)),
      badType('publicKey'),
    );
    assert.throws(() => mlDsa65.verify(publicKey, message, text), badType('signature'));
    assert.throws(() => mlDsa65.expand(text), badType('publicKey'));
  });

  test(`a context in the place of the options is not passed over (${name})`, () => {
    const { secretKey, publicKey } = mlDsa65.keygen(ZEROS);
    const message = new Uint8Array(1);
    const signature = mlDsa65.sign(secretKey, message);
    const badType = { name: 'SvcError', code: 'bad_type', path: 'options' };
    for (const value of [new Uint8Array(9), [new Uint8Array(9)], 'svc/spend/v1', null]) {
      const options = value as object;
      assert.throws(() => mlDsa65.sign(secretKey, message, options), badType);
      assert.throws(() => mlDsa65.verify(publicKey, message, signature, options), badType);
    }
  });

  test(`options that call the kernel themselves disturb nothing (${name})`, () => {
    const { secretKey, publicKey } = mlDsa65.keygen(ZEROS);
    const message = new Uint8Array(48).fill(1);
    const random = new Uint8Array(32).fill(2);
    const expected = mlDsa65.sign(secretKey, message, { random });
    const busy = {
      get random() {
        mlDsa65.sign(secretKey, new Uint8Array(48).fill(3));
        return random;
      },
      get context() {
        mlDsa65.verify(publicKey, new Uint8Array(48).fill(4), expected);
        return new Uint8Array(0);
      },
    };
    assert.deepEqual(mlDsa65.sign(secretKey, message, busy), expected);
    assert.equal(mlDsa65.verify(publicKey, message, expected, busy), true);
  });

  test(`a secret key that no seed gives is refused (${name})`, () => {
    const { secretKey } = mlDsa65.keygen(ZEROS);
    for (const at of [128, 768, 1535]) {
      for (const pair of [0x90, 0x09, 0xff]) {
        const malformed = secretKey.slice();
        malformed[at] = pair;
        const attempt = () => mlDsa65.sign(malformed, new Uint8Array(8), { random: ZEROS });
        assert.throws(attempt, { code: 'bad_secret_key', path: 'secretKey' });
      }
    }
  });

  test(`keys of the largest coefficients sign as noble does (${name})`, () => {
    for (const { secretKey, signature } of EXTREME_KEYS) {
      assert.deepEqual(mlDsa65.sign(secretKey, TURN_MESSAGE, { random: ZEROS }), signature);
    }
  });
}
