import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from 'svc-base/testing';
import { addressFromPublicKey, init, WalletRoot } from 'svc-wasm';
import { CONTEXTS, contextBytes } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { KeyRing } from './key-ring.ts';
import { KEYS_AHEAD, type KeyPath, Signer, type SignerPorts, type Signing } from './signer.ts';

const WORDS = `${'zoo '.repeat(23)}vote`;
const context = contextBytes(CONTEXTS.spend);

await init();

/** A signer whose thread has begun. */
async function startedSigner(ports: SignerPorts): Promise<Signer> {
  const signer = new Signer(ports);
  await signer.begin(4).done();
  await until(() => signer.hasThread, 'the thread has begun');
  return signer;
}

test('what is signed together holds: in the thread, and after it is gone', async () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const ring = new KeyRing(root);
  const signer = new Signer({
    ring,
    nextChange: () => 0,
    onThreadLost: (reason) => assert.fail(String(reason)),
  });
  const expectSigned = async (signing: Signing, count: number, meanwhile = () => {}) => {
    const asked = Array.from({ length: count }, (_, at) => {
      const path: KeyPath = { branch: 1, position: at % 3 };
      const message = new Uint8Array(48).fill(at);
      return { path, message, signature: signing.sign(path, message) };
    });
    meanwhile();
    await signing.done();
    for (const { message, path, signature } of asked) {
      const publicKey = root.derivePublicKey(0, path.branch, path.position);
      assert.ok(mlDsa65.verify(publicKey, message, signature(), { context }));
    }
  };
  await expectSigned(signer.begin(1), 2);
  assert.equal(signer.hasThread, false, 'one payment needs none');
  await expectSigned(signer.begin(8), 2);
  await until(() => signer.hasThread, 'the thread has begun');
  await expectSigned(signer.begin(8), 66);
  const signing = signer.begin(2);
  const early = signing.sign({ branch: 0, position: 0 }, new Uint8Array(48));
  assert.throws(early, /not done/);
  await expectSigned(signing, 3, () => signer.close());
  assert.equal(signer.hasThread, false);
  await expectSigned(signer.begin(8), 1);
  ring.free();
});

test('several groups may be under way, and each is signed as it was asked for', async () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const ring = new KeyRing(root);
  const lost: unknown[] = [];
  const onThreadLost = (reason: unknown): void => void lost.push(reason);
  const signer = await startedSigner({ ring, nextChange: () => 0, onThreadLost });
  const groups = 3;
  const ask = (round: number) =>
    Array.from({ length: groups }, (_, group) => {
      const signing = signer.begin(4);
      const asked = Array.from({ length: 5 }, (_, at) => {
        const message = new Uint8Array(48).fill(10 * round + 5 * group + at);
        const path: KeyPath = { branch: 1, position: (group + at) % 3 };
        return { message, path, signature: signing.sign(path, message) };
      });
      return { asked, done: signing.done() };
    });
  const expectSigned = async (asking: ReturnType<typeof ask>) => {
    for (const { asked, done } of asking.toReversed()) {
      await done;
      for (const { message, path, signature } of asked) {
        const publicKey = root.derivePublicKey(0, path.branch, path.position);
        assert.ok(mlDsa65.verify(publicKey, message, signature(), { context }));
      }
    }
  };
  for (let round = 0; round < 4; round++) await expectSigned(ask(round));
  assert.equal(signer.hasThread, true);
  const asking = ask(4);
  signer.close();
  await expectSigned(asking);
  assert.deepEqual(lost, []);
  ring.free();
});

test('keys of the next addresses for change are made in the thread, and are those of the root', async () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const ring = new KeyRing(root);
  let next = 3;
  const onThreadLost = (reason: unknown): void => assert.fail(String(reason));
  const signer = new Signer({ ring, nextChange: () => next, onThreadLost });
  const held = (): number[] =>
    Array.from({ length: 3 * KEYS_AHEAD }, (_, at) => at).filter((at) => ring.has(0, 1, at));
  const positions = (from: number): number[] =>
    Array.from({ length: KEYS_AHEAD }, (_, at) => from + at);
  await signer.begin(4).done();
  await until(() => signer.hasThread, 'the thread has begun');
  assert.deepEqual(held(), []);
  ring.derivePublicKey(0, 1, 5);
  await signer.begin(2).done();
  await until(() => held().length === KEYS_AHEAD, 'the keys are made');
  assert.deepEqual(held(), positions(3));
  for (const at of positions(3)) {
    const publicKey = root.derivePublicKey(0, 1, at);
    assert.deepEqual(ring.derivePublicKey(0, 1, at), publicKey);
    const address = addressFromPublicKey(publicKey, 'development');
    assert.equal(ring.addressAt(0, 1, at, 'development'), address);
  }
  const message = new Uint8Array(48);
  const signature = ring.sign(0, 1, 4, message, true);
  assert.ok(mlDsa65.verify(root.derivePublicKey(0, 1, 4), message, signature, { context }));
  next = 7;
  await signer.begin(2).done();
  await until(() => held().length === KEYS_AHEAD + 4, 'further keys are made');
  assert.deepEqual(held().slice(4), positions(7));
  signer.close();
  ring.free();
});

test('a thread that ends is told of, and what it was to sign is signed all the same', async () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const lost: unknown[] = [];
  const ring = new (class extends KeyRing {
    override withSecretKey(...[, , , use]: Parameters<KeyRing['withSecretKey']>): void {
      use(new Uint8Array(4_032).fill(255));
    }
  })(root);
  const onThreadLost = (reason: unknown): void => void lost.push(reason);
  const signer = await startedSigner({ ring, nextChange: () => 0, onThreadLost });
  const signing = signer.begin(4);
  const message = new Uint8Array(48);
  const signature = signing.sign({ branch: 0, position: 1 }, message);
  await signing.done();
  assert.ok(mlDsa65.verify(root.derivePublicKey(0, 0, 1), message, signature(), { context }));
  assert.deepEqual([signer.hasThread, lost.length], [false, 1]);
  signer.close();
  ring.free();
});
