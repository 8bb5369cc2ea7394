import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { fromHex, toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { deriveKey, deriveNode, INDEX_MAX, masterNode } from './derivation.ts';
import { type HmacSha512, hmacSha512, installedHmac, installHmac } from './hmac-sha512.ts';

await init();

/** The engine's, which is installed again after the test. */
function engineOf(t: TestContext): HmacSha512 {
  const engine = installedHmac();
  t.after(() => installHmac(engine));
  assert.ok(engine !== undefined);
  return engine;
}

/** What is made with the engine's and what is made with the portable one. */
function both<T>(engine: HmacSha512, make: () => T): readonly [engine: T, portable: T] {
  installHmac(engine);
  const first = make();
  installHmac(undefined);
  return [first, make()];
}

test('published values of RFC 4231 are met, by the engine and without it', (t) => {
  const engine = engineOf(t);
  const cases: readonly (readonly [key: string, data: string, mac: string])[] = [
    [
      '0b'.repeat(20),
      toHex(new TextEncoder().encode('Hi There')),
      '87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854',
    ],
    [
      'aa'.repeat(131),
      toHex(new TextEncoder().encode('Test Using Larger Than Block-Size Key - Hash Key First')),
      '80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598',
    ],
  ];
  for (const [key, data, mac] of cases) {
    const made = both(engine, () => toHex(hmacSha512(fromHex(key), fromHex(data))));
    assert.deepEqual(made, [mac, mac]);
  }
});

test('the engine and the portable form give the same for any key and data', (t) => {
  const engine = engineOf(t);
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, bytes, (key, data) => {
      const [made, portable] = both(engine, () => hmacSha512(key, data));
      assert.equal(toHex(made), toHex(portable));
    }),
    { numRuns: 1_000 },
  );
});

test('the engine and the portable form derive the same keys along any path', (t) => {
  const engine = engineOf(t);
  const seed = fc.uint8Array({ minLength: 64, maxLength: 65 });
  const path = fc.array(fc.integer({ min: 0, max: INDEX_MAX }), { maxLength: 5 });
  fc.assert(
    fc.property(seed, path, (given, indexes) => {
      const [made, portable] = both(engine, () => deriveKey(masterNode(given), indexes));
      assert.equal(toHex(made), toHex(portable));
    }),
    { numRuns: 300 },
  );
});

test('a node by the engine is bytes of its own: to copy it and wipe the copy leaves it as it is', (t) => {
  installHmac(engineOf(t));
  const node = masterNode(new Uint8Array(64));
  const before = toHex(node);
  assert.equal(Object.getPrototypeOf(node), Uint8Array.prototype);
  node.slice().fill(0);
  deriveNode(node, [204, 0, 1]);
  assert.equal(toHex(node), before);
});
