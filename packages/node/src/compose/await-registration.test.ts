import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import type { SignStateChoice } from 'svc-consensus/shell';
import { isCurrent, NO_PEERS, type Relay } from 'svc-serve/ports';
import { ServicesFixture } from '../testing/services-fixture.ts';
import { AwaitedRegistration, type RegistrationPorts } from './await-registration.ts';

type Chain = RegistrationPorts['chain'];

/** A real chain whose validators are hidden until the test shows them, as if they registered later. */
async function sceneFor(t: { after(end: () => Promise<void>): void }) {
  const services = await ServicesFixture.create();
  t.after(() => services.close());
  const { chain } = services;
  const clock = new ManualClock(0);
  const shown = { isRegistered: false, isSeated: false, bestPeerHeight: 7, eligibleFromEpoch: 0 };
  const [member] = chain.epoch.members;
  const id = member?.validatorId as string;
  const record = chain.view.get('validators', id);
  const seen = {
    head: chain.head,
    parameters: chain.parameters,
    get view() {
      return {
        ...chain.view,
        validatorIds: () => (shown.isRegistered ? [id] : []),
        get: () => ({ ...record, eligibleFromEpoch: shown.eligibleFromEpoch }),
      };
    },
    get next() {
      const key = { publicKey: record?.consensusKey.publicKey };
      return { validators: { validators: shown.isSeated ? [key] : [] } };
    },
  } as unknown as Chain;
  const relay: Relay = {
    ...NO_PEERS,
    peers: { inbound: 1, outbound: 0 },
    isSynced: true,
    get bestPeerHeight() {
      return shown.bestPeerHeight;
    },
  };
  const key = record?.consensusKey as RegistrationPorts['key'];
  const waiting = new AwaitedRegistration({
    chain: seen,
    isCurrent: () => isCurrent(seen, relay),
    key,
    clock,
    log: SILENT_LOG,
  });
  let proof: SignStateChoice | undefined;
  void waiting.registered.then((found) => {
    proof = found;
  });
  const after = async (seconds: number): Promise<SignStateChoice | undefined> => {
    for (let half = 0; half < 2 * seconds; half++) clock.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
    return proof;
  };
  return { shown, after, waiting };
}

test('a key that registers while its node watches a current chain has never signed', async (t) => {
  const { shown, after } = await sceneFor(t);
  assert.equal(await after(60), undefined, 'a peer is ahead');
  shown.bestPeerHeight = 0;
  assert.equal(await after(60), undefined, 'nobody registers');
  shown.isRegistered = true;
  assert.equal(await after(1), 'unused');
});

test('a key that is found registered proves nothing once it may have had a seat', async (t) => {
  const { shown, after } = await sceneFor(t);
  shown.isRegistered = true;
  assert.equal(await after(60), undefined, 'what a chain behind its peers shows does not count');
  shown.bestPeerHeight = 0;
  assert.equal(await after(1), undefined, 'one look is not enough');
  assert.equal(await after(5), 'existing');
});

test('a key that is registered and not eligible yet cannot have signed, unless it has a seat', async (t) => {
  for (const [isSeated, proof] of [
    [false, 'unused'],
    [true, 'existing'],
  ] as const) {
    const { shown, after } = await sceneFor(t);
    Object.assign(shown, { isRegistered: true, eligibleFromEpoch: 9, bestPeerHeight: 0, isSeated });
    assert.equal(await after(5), proof);
  }
});

test('a wait that was closed looks no more', async (t) => {
  const { shown, after, waiting } = await sceneFor(t);
  waiting.close();
  Object.assign(shown, { isRegistered: true, bestPeerHeight: 0 });
  assert.equal(await after(5), undefined);
});
