import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { decodeCut, type EncodedCut, type FinalityState } from 'svc-finality';
import { SILENT } from '../base/log.ts';
import { ChainCore } from '../chain/chain-core.ts';
import type { ValidatorOverlay } from '../ports/overlay.ts';
import { NO_PEERS } from '../ports/relay.ts';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { CutFetcher } from './cut-fetcher.ts';
import { HeightDiary } from './height-diary.ts';
import { HeldCuts } from './held-cuts.ts';
import { Speaker } from './speaker.ts';

const CLOCK = { ...SYSTEM_CLOCK, after: () => () => {} };

/** A fetcher on a chain of two cuts, of which a node has one, and what it says to its only neighbour. */
async function fetcherAt(height: number, installed: number) {
  const directory = mkdtempSync(join(tmpdir(), 'svc-fetcher-'));
  const fixture = await ChainFixture.create({ validators: 1 });
  await fixture.cut([]);
  await fixture.cut([fixture.mine([await fixture.pay(0, fixture.address(1), 5_000n)])]);
  const { genesis } = fixture;
  const options = { directory, genesis, mode: 'archive', clock: CLOCK, log: SILENT } as const;
  const fail = (error: unknown): never => assert.fail(String(error));
  const chain = await ChainCore.open({ ...options, onFatal: fail, cacheBytes: 1 << 20 });
  const cuts = new HeldCuts(() => true);
  for (const { height: at, headerBytes: header, certificate } of fixture.cuts) {
    const body = (await fixture.reader().cutBody(at)) as Uint8Array;
    cuts.learn(decodeCut(header, body));
    if (at <= installed) await chain.install({ header, body, certificate, blocks: [] });
  }
  const said: Uint8Array[] = [];
  const overlay = {
    neighbours: () => ['other'],
    send: (_: string, message: Uint8Array) => said.push(message),
  } as unknown as ValidatorOverlay;
  const speaker = new Speaker({
    overlay,
    wire: chain.wire,
    cuts,
    random: Math.random,
    isMuted: () => false,
    members: () => ['other'],
  });
  const diary = new HeightDiary();
  diary.begin(height, 0, 1_000);
  diary.sees(height, 1);
  diary.proposal(height, 100, undefined);
  diary.rows(height, [10]);
  const fetcher = new CutFetcher({
    chain,
    cuts,
    speaker,
    diary,
    blocks: { submit: () => fail('nothing was asked for') },
    relay: NO_PEERS,
    clock: CLOCK,
    retryMillis: 1,
    state: () => ({ context: { height } }) as FinalityState,
    onVerdict: fail,
    onFatal: fail,
  });
  const { cutId } = fixture.cuts[height - 1] ?? assert.fail('no such cut');
  fetcher.judge(cutId as EncodedCut['value'], 0);
  await chain.build({ height: 0 } as never);
  await chain.close();
  rmSync(directory, { recursive: true });
  return { reason: diary.reason(height), said: said.length };
}

test('who is asked to judge a cut that the chain has passed says so, and asks nobody for nothing', async () => {
  assert.deepEqual(await fetcherAt(1, 1), {
    reason:
      'voted nil because it waited for its turn, and the chain had already passed this height',
    said: 0,
  });
});

test('who lacks the block of a cut says so, and asks for it', async () => {
  assert.deepEqual(await fetcherAt(2, 1), {
    reason: 'voted nil because it waited for 1 block',
    said: 1,
  });
});
