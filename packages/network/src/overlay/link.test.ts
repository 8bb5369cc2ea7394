import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { WallClock } from '../../test/testing/wall-clock.ts';
import type { LinkHandlers } from './handshake.ts';
import { OverlayLink } from './link.ts';
import { LINK } from './link-kinds.ts';
import type { SocketChannel } from './socket-channel.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;

type Passage = (kind: number, deliver: () => void) => void;

/** Both ends of a link, each with a wall clock of its own; what one sends the other reads as `pass` has it. */
class Pair {
  readonly base = new ManualClock();
  readonly clocks: readonly [WallClock, WallClock] = [
    new WallClock(this.base),
    new WallClock(this.base),
  ];
  readonly ended: (string | undefined)[] = [];
  readonly links: readonly [OverlayLink, OverlayLink];
  pass: Passage = (_, deliver) => deliver();
  readonly #handlers: LinkHandlers[] = [];

  constructor() {
    this.links = [this.#end(0), this.#end(1)];
  }

  #end(at: 0 | 1): OverlayLink {
    const channel = {
      send: (kind: number, payload: Uint8Array) =>
        this.pass(kind, () => this.#handlers[1 - at]?.onFrame(kind, payload)),
      close: (error?: Error) => this.#handlers[at]?.onClose(error),
    } as unknown as SocketChannel;
    const attach = (handlers: LinkHandlers): void => {
      this.#handlers[at] = handlers;
    };
    return new OverlayLink({ channel, validatorId: `${at}`, attach }, at === 0, this.clocks[at], {
      onFrame: () => undefined,
      onClose: (_, error) => this.ended.push(error?.message),
    });
  }

  /** How far each end finds the clock of the other ahead. */
  get offsets(): (number | undefined)[] {
    return this.links.map(({ clockOffset }) => clockOffset?.aheadMillis);
  }
}

const JUMPS = [12 * SECOND, HOUR, 30 * HOUR, -12 * SECOND, -HOUR];

test('a wall clock that is set at one end, ahead or back, ends no link, and is reported as an offset', () => {
  const pair = new Pair();
  for (const jump of JUMPS) {
    const [own] = pair.clocks;
    own.jump(jump);
    pair.base.advance(60 * SECOND);
    assert.deepEqual([pair.ended, pair.offsets], [[], [-jump, jump]], `${jump} ms`);
    own.jump(-jump);
    pair.base.advance(60 * SECOND);
    assert.deepEqual([pair.ended, pair.offsets], [[], [0, 0]], `back from ${jump} ms`);
  }
});

test('a link over which nothing comes ends after twelve seconds, wherever the wall clock goes meanwhile', () => {
  for (const jump of JUMPS) {
    const pair = new Pair();
    pair.base.advance(6 * SECOND);
    pair.pass = () => undefined;
    pair.base.advance(3 * SECOND);
    for (const clock of pair.clocks) clock.jump(jump);
    pair.base.advance(9 * SECOND - 1);
    assert.deepEqual(pair.ended, [], `${jump} ms`);
    pair.base.advance(3 * SECOND + 1);
    assert.deepEqual(pair.ended, Array(2).fill('silent for 12000 ms'), `${jump} ms`);
  }
});

test('a wall clock that is set while an answer is on its way gives no offset that its doubt does not cover', () => {
  for (const jump of [...JUMPS, 4 * SECOND, -10]) {
    const pair = new Pair();
    const [asking] = pair.clocks;
    const held: (() => void)[] = [];
    pair.base.advance(2 * SECOND);
    pair.pass = (kind, deliver) => {
      if (kind === LINK.pong) held.push(deliver);
      else deliver();
    };
    pair.base.advance(SECOND);
    asking.jump(jump);
    for (const deliver of held) deliver();
    const { aheadMillis, doubtMillis } = pair.links[0].clockOffset ?? {
      aheadMillis: -jump,
      doubtMillis: 0,
    };
    assert.ok(Math.abs(aheadMillis + jump) <= doubtMillis, `${jump}: ${aheadMillis}`);
    assert.deepEqual(pair.ended, []);
  }
});
