/**
 * A daemon on a network whose validators are not those that a node names: what a node shows as final without the signatures
 * of the trusted ones is credited by nobody, and named.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  decodeValidatorSet,
  formatRecovery,
  parseRecovery,
  signSeat,
  type Validator,
} from 'svc-wasm/protocol';
import { CHAIN_ID, type Committee, committee, NETWORK } from './testing/certified-cuts.ts';
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
    says: /other validators signed cut 3 than follow from cut 2/,
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

async function started(
  t: TestContext,
  node: SigningNode,
  isTrusted = true,
  more: Partial<Parameters<typeof startDaemon>[0]> = {},
): Promise<TestDaemon> {
  const checkpoint = { height: 1, cutId: node.cutId(1) };
  const daemon = await startDaemon({
    directory: temporaryDirectory(t),
    service: node.url,
    network: NETWORK,
    clock: fastClock(10),
    ...(isTrusted ? { checkpoint } : {}),
    ...more,
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

/** Two of the trusted validators continue after the head of the node, under new keys. */
function recoveryOf(node: SigningNode): { readonly text: string; readonly committee: Committee } {
  const { height } = node;
  const place = {
    network: NETWORK,
    chainId: toHex(CHAIN_ID),
    height,
    cutId: node.cutId(height),
    timeMillis: node.timeOf(height),
  } as const;
  const { validators } = decodeValidatorSet(TRUSTED.encoded);
  const keys = [21, 22].map((name) => mlDsa65.keygen(new Uint8Array(32).fill(name)));
  const members = keys.map(({ publicKey, secretKey: next }, at) => {
    const { id, stake } = validators[at] as Validator;
    const before = TRUSTED.secretKeys[at] as Uint8Array;
    return signSeat(place, { validatorId: toHex(id), stake, publicKey }, { next, before });
  });
  const text = formatRecovery(place, members);
  const { id, encoded } = parseRecovery(text).set;
  return { text, committee: { id, encoded, secretKeys: keys.map(({ secretKey }) => secretKey) } };
}

test('a daemon passes over a recovery whose file it was given, and stops before it without', async (t) => {
  const node = await nodeOf(t);
  const directory = temporaryDirectory(t);
  let daemon = await started(t, node, true, { directory });
  await following(daemon);
  const { address } = await daemon.call('new_address', {});
  const { text, committee: recovered } = recoveryOf(node);
  node.continueWith(recovered);
  node.pay(address, AMOUNT);
  await until('named', async () => (await lastErrorOf(daemon)) !== '');
  assert.match(await lastErrorOf(daemon), /continued with a recovery, give its file/);
  assert.equal((await daemon.call('balance', {})).balance, '0.00000000');
  await daemon.close();
  for (const recoveries of [[text.replace('"height": "2"', '"height": "1"')], [text]]) {
    daemon = await started(t, node, true, { directory, isNew: false, recoveries });
    const isRight = recoveries[0] === text;
    const balance = async () => (await daemon.call('balance', {})).balance;
    if (isRight) await until('credited', async () => (await balance()) === '7.00000000');
    else await until('named', async () => /did not sign/.test(await lastErrorOf(daemon)));
    await daemon.close();
  }
});
