/**
 * A daemon on a network whose validators are not those that a node names: what a node shows as final without the signatures
 * of the trusted ones is credited by nobody, and named.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { committee, NETWORK } from './testing/certified-cuts.ts';
import { refused, startDaemon, type TestDaemon } from './testing/daemon.ts';
import { fastClock } from './testing/fast-clock.ts';
import { until } from './testing/open-wallet.ts';
import { type ShownCut, SigningNode } from './testing/signing-node.ts';

await init();
const TRUSTED = committee(1, 2, 3, 4);
const STRANGERS = committee(11, 12, 13, 14);
const AMOUNT = 700_000_000n;

interface Lie {
  readonly says: RegExp;
  readonly shows: ShownCut;
  readonly namedSet?: typeof STRANGERS;
}

const LIES: Readonly<Record<string, Lie>> = {
  'a set of strangers': {
    says: /the header names another validator set/,
    shows: (_, sign) => sign({ signers: STRANGERS }),
    namedSet: STRANGERS,
  },
  'half of the stake': {
    says: /stake/,
    shows: (_, sign) => sign({ signing: 2 }),
  },
  'validators who signed another cut': {
    says: /certificate/,
    shows: ({ certificate_hex }, sign) => ({
      ...sign({ stateRoot: new Uint8Array(48).fill(9) }),
      certificate_hex,
    }),
  },
  'validators for whom strangers signed': {
    says: /signature/,
    shows: (honest, sign) => {
      const { secretKeys } = STRANGERS;
      return {
        ...honest,
        certificate_hex: sign({ signers: { ...TRUSTED, secretKeys } }).certificate_hex,
      };
    },
  },
};

async function started(t: TestContext, node: SigningNode, isTrusted = true): Promise<TestDaemon> {
  const checkpoint = { height: 1, cutId: node.cutId(1) };
  const daemon = await startDaemon({
    directory: temporaryDirectory(t),
    service: node.url,
    network: NETWORK,
    clock: fastClock(10),
    ...(isTrusted ? { checkpoint } : {}),
  });
  t.after(() => daemon.close());
  return daemon;
}

async function nodeOf(t: TestContext): Promise<SigningNode> {
  const node = await SigningNode.start(TRUSTED);
  t.after(() => node.close());
  node.makeCut();
  return node;
}

const lastErrorOf = async (daemon: TestDaemon): Promise<string> =>
  (await daemon.call('status', {})).scan.last_error ?? '';

async function following(daemon: TestDaemon): Promise<void> {
  await until('following', async () => {
    return (await daemon.call('status', {})).scan.phase === 'following';
  });
}

for (const [signers, { says, shows, namedSet = TRUSTED }] of Object.entries(LIES)) {
  test(`a deposit in a cut that has the signatures of ${signers} is not credited, and the lie is named`, async (t) => {
    const node = await nodeOf(t);
    const daemon = await started(t, node);
    await following(daemon);
    const { address } = await daemon.call('new_address', {});
    const last = node.height;
    node.shows = (honest, sign, height) => (height > last ? shows(honest, sign, height) : honest);
    node.namedSet = namedSet;
    node.pay(address, AMOUNT);
    await until('named', async () => (await lastErrorOf(daemon)) !== '');
    assert.match(await lastErrorOf(daemon), /^cut 3 of the node is not certified: /);
    assert.match(await lastErrorOf(daemon), says);
    assert.deepEqual((await daemon.call('received', { since_height: 0 })).payments, []);
    assert.equal((await daemon.call('balance', {})).balance, '0.00000000');
    const payment = { to: address, amount: '1', request_id: 'a' };
    const refusal = await refused(-32001, 'node_not_believed', daemon.call('send', payment));
    assert.match(String(refusal.data['hint']), /--service/);

    node.shows = (honest) => honest;
    node.namedSet = TRUSTED;
    await until('credited', async () => {
      return (await daemon.call('balance', {})).balance === '7.00000000';
    });
  });
}

test('a daemon to which no cut was named credits and pays nothing, and says what to do', async (t) => {
  const node = await nodeOf(t);
  const daemon = await started(t, node, false);
  await until('named', async () => (await lastErrorOf(daemon)) !== '');
  assert.match(await lastErrorOf(daemon), /no cut is trusted yet: name a cut .* with --trust/);
  await refused(-32003, 'rescanning', daemon.call('new_address', {}));
});
