import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { MemoryApplication } from '../../test/testing/memory-application.ts';
import { ChainScript, payment } from '../../test/testing/script.ts';
import type { Peer } from '../peers/peer.ts';
import { PeerBudgets } from '../peers/peer-budgets.ts';
import type { FrameChannel } from '../wire/frame-channel.ts';
import { BlockRelay } from './block-relay.ts';
import { BlockServer } from './block-server.ts';
import { RELAY } from './relay-bytes.ts';
import { RelayLink } from './relay-link.ts';
import { Standings } from './standing.ts';

await init();

interface Frame {
  readonly kind: number;
  readonly payload: Uint8Array;
}

const script = new ChainScript({ seed: 'block relay' });
const SERVICE = {
  protocol: '/relay',
  rate: { perSecond: 1e9, burst: 1e9 },
  urgency: 'urgent',
} as const;

/** A link that keeps what is sent over it. */
function linkOf(
  id: string,
  clock: ManualClock,
): { readonly link: RelayLink; readonly sent: Frame[] } {
  const sent: Frame[] = [];
  const channel = {
    send: (kind: number, payload: Uint8Array) => sent.push({ kind, payload }) > 0,
    drained: () => undefined,
  } as unknown as FrameChannel;
  const peer = { id, address: undefined, score: 0, reward: () => {} } as unknown as Peer;
  const budgets = new PeerBudgets({ clock, uploadBytesPerSecond: 0 });
  const serving = budgets.serving(peer, SERVICE, new AbortController().signal);
  return { link: new RelayLink(peer, channel, new Standings().of(peer), serving), sent };
}

function relayOf(
  application: MemoryApplication,
  links: readonly RelayLink[],
  clock: ManualClock,
): BlockRelay {
  const relay = new BlockRelay({
    application,
    now: () => clock.monotonic(),
    after: (millis, call) => clock.after(millis, call),
    linkOf: (peer) => links.find((link) => link.peer === peer),
    links: () => links,
    pumpSoon: () => relay.pump(),
    answerMillisMax: 5_000,
    wantedOptionsOf: (given) => given,
  });
  return relay;
}

test('a peer that is asked twice for a block, of which more is known the second time, has done nothing wrong', async () => {
  const clock = new ManualClock();
  const payments = ['a', 'b'].map((seed) => payment(script.manifest, seed));
  const block = script.block('block', payments);
  const [there, here] = [new MemoryApplication(script), new MemoryApplication(script)];
  there.addBlock(block);
  const server = new BlockServer(there);
  const asking = linkOf('asked', clock);
  const answering = linkOf('asker', clock);
  const relay = relayOf(here, [asking.link], clock);
  const ANSWERS: Readonly<Record<number, (frame: Frame) => Promise<void>>> = {
    [RELAY.getBlocks]: ({ payload }) => server.blocks(answering.link, payload),
    [RELAY.getBlockTransactions]: ({ payload }) => server.transactions(answering.link, payload),
    [RELAY.getFullBlock]: ({ payload }) => server.full(answering.link, payload),
  };
  /** Everything that was asked is answered, in its order. */
  const answerAll = async (): Promise<void> => {
    for (const frame of asking.sent.splice(0)) await ANSWERS[frame.kind]?.(frame);
  };
  const receive = (frame: Frame | undefined): void => {
    if (frame?.kind === RELAY.compactBlock) void relay.compact(asking.link, frame.payload);
    else if (frame?.kind === RELAY.blockTransactions)
      void relay.transactions(asking.link, frame.payload);
    else if (frame?.kind === RELAY.fullBlock) void relay.full(asking.link, frame.payload);
    else assert.fail(`unexpected ${frame?.kind}`);
  };
  relay.announced(asking.link, [block.id]);
  const fetched = relay.fetch([block.id], 1_000);
  await answerAll();
  receive(answering.sent.shift());
  const [known] = payments;
  here.pool.set(known?.id ?? '', known?.wire ?? new Uint8Array());
  receive(answering.sent.shift());
  await answerAll();
  while (answering.sent.length > 0) {
    receive(answering.sent.shift());
    await answerAll();
  }
  await turn();
  assert.ok(here.hasBlock(block.id));
  assert.deepEqual(
    (await fetched).map(({ id }) => id),
    [block.id],
  );
});

test('a block that was announced and fetched is accepted from a peer that is slow to answer', async () => {
  const clock = new ManualClock();
  const block = script.block('slow', []);
  const [there, here] = [new MemoryApplication(script), new MemoryApplication(script)];
  there.addBlock(block);
  const [slow, other] = [linkOf('slow', clock), linkOf('other', clock)];
  const relay = relayOf(here, [slow.link, other.link], clock);
  relay.announced(slow.link, [block.id]);
  const fetched = relay.fetch([block.id], 120);
  for (let look = 0; look < 4; look++) {
    clock.advance(250);
    relay.expire();
  }
  relay.pump();
  assert.deepEqual(await fetched, []);
  const [asked] = other.sent;
  assert.equal(asked?.kind, RELAY.getBlocks, 'one more peer is asked after a second');
  relay.absent(other.link, asked.payload);
  clock.advance(1_000);
  relay.expire();
  relay.pump();
  const answering = linkOf('asker', clock);
  await new BlockServer(there).blocks(answering.link, asked.payload);
  const [answer] = answering.sent;
  assert.equal(answer?.kind, RELAY.compactBlock);
  await relay.compact(slow.link, answer.payload);
  await turn();
  assert.ok(here.hasBlock(block.id));
});
