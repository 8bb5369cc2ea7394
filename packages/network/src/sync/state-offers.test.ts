import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import type { StateOffer } from '../application.ts';
import { StateOffers } from './state-offers.ts';
import type { SyncPeer } from './sync-peer.ts';

const ASIDE_MILLIS = 300_000;

/** Peers that answer at once, each from a range of addresses of its own unless it has a host. */
class Crowd {
  readonly clock = new ManualClock();
  readonly offers: StateOffers;
  readonly #sources: SyncPeer[] = [];

  constructor() {
    this.offers = new StateOffers(
      {
        list: () => this.#sources,
        usable: () => this.#sources,
        ask: async (_source, request) => await request(),
      },
      this.clock,
    );
  }

  join(direction: 'inbound' | 'outbound', named: () => StateOffer[], host?: string): SyncPeer {
    const address = { host: host ?? `9.9.${this.#sources.length}.9`, port: 1 };
    const peer = { id: `peer ${this.#sources.length}`, direction, address };
    const source = { peer, states: async () => named() } as unknown as SyncPeer;
    this.#sources.push(source);
    return source;
  }

  /** The height of the best state by the answers of now. */
  async best(): Promise<number | undefined> {
    this.clock.advance(2_000);
    this.offers.ask();
    await new Promise(setImmediate);
    return this.offers.best()?.offer.height;
  }
}

function state(height: number, name = 'ab'): StateOffer {
  return { height, manifestId: name };
}

test('peers that this node dialled count before others, and more before newer', async () => {
  const crowd = new Crowd();
  for (let count = 0; count < 8; count++) crowd.join('inbound', () => [state(9)]);
  assert.equal(await crowd.best(), 9);
  assert.equal(crowd.offers.dialledAnswers, 0);
  crowd.join('outbound', () => [state(7)]);
  assert.equal(await crowd.best(), 7);
  for (const host of ['8.8.8.8', '8.8.8.9', '8.8.8.10'])
    crowd.join('outbound', () => [state(8)], host);
  crowd.join('outbound', () => [state(7)]);
  assert.equal(await crowd.best(), 7, 'neighbours have one voice');
  assert.equal(crowd.offers.dialledAnswers, 5);
});

test('a state that no peer could show comes last for some minutes', async () => {
  const crowd = new Crowd();
  crowd.join('outbound', () => [state(9)]);
  crowd.join('outbound', () => [state(9), state(8)]);
  assert.equal(await crowd.best(), 9);
  crowd.offers.setAside(state(9));
  assert.equal(await crowd.best(), 8);
  assert.equal(crowd.offers.best(state(8))?.isAside, true, 'it is there if there is nothing else');
  crowd.clock.advance(ASIDE_MILLIS);
  assert.equal(await crowd.best(), 9);
});

test('who failed does not get the next turn with another name, of its state or of its own', async () => {
  const crowd = new Crowd();
  let turn = 0;
  const liars = ['8.8.8.8', '8.8.9.8'].map((host) =>
    crowd.join('outbound', () => [state(100, `${turn++ >> 1}`)], host),
  );
  crowd.join('outbound', () => [state(8)]);
  assert.equal(await crowd.best(), 100);
  for (const liar of liars) crowd.offers.setSourceAside(liar);
  assert.equal(await crowd.best(), 8);
  crowd.join('outbound', () => [state(100, 'new')], '8.8.8.200');
  crowd.join('outbound', () => [state(100, 'new')], '8.8.9.200');
  assert.equal(await crowd.best(), 8);
});

test('who names both a state that was abandoned and the one instead keeps its voice', async () => {
  const crowd = new Crowd();
  crowd.join('outbound', () => [state(8), state(7)]);
  crowd.join('outbound', () => [state(7), state(6)]);
  await crowd.best();
  crowd.offers.giveUp(state(7), state(8));
  assert.equal(crowd.offers.best()?.offer.height, 8);
  assert.equal(crowd.offers.best()?.isAside, false);
  assert.equal(crowd.offers.best(state(8))?.offer.height, 6);
  assert.equal(crowd.offers.best(state(8))?.isAside, true);
});
