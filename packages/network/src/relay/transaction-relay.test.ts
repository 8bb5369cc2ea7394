import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { ChainScript, payment } from '../../test/testing/script.ts';
import type { NetworkApplication, TransactionReception } from '../application.ts';
import { RecentSet } from '../base/recent-set.ts';
import type { Peer } from '../peers/peer.ts';
import { encodeTransaction } from './relay-bytes.ts';
import type { RelayLink } from './relay-link.ts';
import { TransactionRelay } from './transaction-relay.ts';

await init();

const { manifest } = new ChainScript({ seed: 'transaction relay' });

/** A relay whose node answers when a test says so, and one peer of it. */
function scene() {
  const verdict = Promise.withResolvers<TransactionReception>();
  const asked: string[] = [];
  const links = new Map<Peer, RelayLink>();
  const application = {
    manifest,
    hasTransaction: () => false,
    submitTransaction: () => verdict.promise,
  } as unknown as NetworkApplication;
  const relay = new TransactionRelay({
    ...{ application, now: () => 0, answerMillisMax: 1_000, pumpSoon: () => undefined },
    wantedOptionsOf: (options) => options,
    linkOf: (peer) => links.get(peer),
  });
  const peer = { id: 'peer', address: undefined } as unknown as Peer;
  let submission: Promise<void> = Promise.resolve();
  const link = {
    ...{ peer, unreliability: 0, knownTransactions: new RecentSet(16) },
    channel: { send: () => asked.push('') },
    delivered: () => undefined,
    check: (submit: () => Promise<void>) => {
      submission = submit();
    },
  } as unknown as RelayLink;
  links.set(peer, link);
  return { relay, peer, link, links, asked, verdict, submitted: () => submission };
}

for (const isGone of [false, true])
  test(`what cannot be judged yet is ${isGone ? 'forgotten' : 'asked for again'} after the next cut if its peer is ${isGone ? 'gone' : 'there'}`, async () => {
    const { relay, peer, link, links, asked, verdict, submitted } = scene();
    const { id, wire } = payment(manifest, 'later');
    relay.announced(link, [id]);
    relay.wanted.pump();
    assert.equal(asked.length, 1);
    void relay.received(link, encodeTransaction(id, wire));
    if (isGone) {
      links.delete(peer);
      relay.peerLeft(peer);
    }
    verdict.resolve({ reception: 'later', id });
    await submitted();
    relay.cutInstalled();
    assert.equal(relay.wanted.size, isGone ? 0 : 1);
  });
