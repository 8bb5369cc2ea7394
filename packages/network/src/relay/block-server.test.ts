import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { MemoryApplication } from '../../test/testing/memory-application.ts';
import { ChainScript, payment } from '../../test/testing/script.ts';
import type { BlockBytes } from '../application.ts';
import type { Peer } from '../peers/peer.ts';
import { PeerBudgets } from '../peers/peer-budgets.ts';
import { LOOKUP_BYTES } from '../peers/serving.ts';
import type { FrameChannel } from '../wire/frame-channel.ts';
import { BlockServer } from './block-server.ts';
import { encodeBlockRequest, encodeIds, RELAY } from './relay-bytes.ts';
import { RelayLink } from './relay-link.ts';
import { Standings } from './standing.ts';

await init();

const script = new ChainScript({ seed: 'block server' });
const LOOKUPS = 100;
const SERVICE = {
  protocol: '/relay',
  rate: { perSecond: LOOKUPS * LOOKUP_BYTES, burst: LOOKUPS * LOOKUP_BYTES },
  urgency: 'urgent',
} as const;

class CountingApplication extends MemoryApplication {
  lookups = 0;

  override async block(id: string): Promise<BlockBytes | undefined> {
    this.lookups++;
    return await super.block(id);
  }
}

function serverOf(application: MemoryApplication) {
  const clock = new ManualClock();
  const peer = { id: 'a', address: undefined } as unknown as Peer;
  const sent: number[] = [];
  const channel = {
    send: (kind: number) => sent.push(kind) > 0,
    drained: () => undefined,
  } as unknown as FrameChannel;
  const gone = new AbortController();
  const budgets = new PeerBudgets({ clock, uploadBytesPerSecond: 0 });
  const serving = budgets.serving(peer, SERVICE, gone.signal);
  const link = new RelayLink(peer, channel, new Standings().of(peer), serving);
  return { server: new BlockServer(application), link, clock, sent, gone };
}

test('ids of nothing are looked for no faster than the budget of their origin', async () => {
  const application = new CountingApplication(script);
  const { server, link, clock, gone } = serverOf(application);
  const ask = async (): Promise<void> => {
    for (;;) {
      const ids = Array.from({ length: 16 }, () => randomBytes(48).toString('hex'));
      await server.blocks(link, encodeIds(ids));
    }
  };
  const asking = ask();
  await turn();
  const atOnce = application.lookups;
  assert.ok(atOnce > LOOKUPS / 2 && atOnce <= LOOKUPS + 1, `${atOnce} at once`);
  for (let second = 0; second < 10; second++) {
    clock.advance(1_000);
    await turn();
  }
  const later = application.lookups - atOnce;
  assert.ok(later > 5 * LOOKUPS && later <= 10 * LOOKUPS, `${later} in ten seconds`);
  gone.abort(new Error('gone'));
  await assert.rejects(asking, /gone/);
  const { lookups } = application;
  clock.advance(60_000);
  await turn();
  assert.deepEqual([application.lookups, clock.pending], [lookups, 0]);
});

test('a block that is taken apart costs more than the little that is sent of it', async () => {
  const application = new CountingApplication(script);
  const payments = Array.from({ length: 8 }, (_, at) => payment(script.manifest, `p ${at}`));
  const blocks = Array.from({ length: 65 }, (_, at) => script.block(`b ${at}`, payments));
  for (const block of blocks) application.addBlock(block);
  const { server, link, sent } = serverOf(application);
  const { length } = blocks[0]?.body ?? assert.fail();
  const each = length / 4;
  assert.ok(each > LOOKUP_BYTES);
  let asked = 0;
  const ask = async (): Promise<void> => {
    for (const { id } of blocks) {
      await server.transactions(link, encodeBlockRequest(id, [0]));
      asked++;
    }
  };
  void ask();
  await turn();
  assert.ok(asked <= 1 + (LOOKUPS * LOOKUP_BYTES) / each, `${asked} blocks of ${length} bytes`);
  assert.deepEqual(new Set(sent), new Set([RELAY.blockTransactions]));
});
