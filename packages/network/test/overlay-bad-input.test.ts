/**
 * The connections between validators against what no honest one sends: strangers who say nothing, too little or
 * too much, and a member that keeps to the handshake and to nothing after it.
 */
import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { Clock } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { keyHash } from 'svc-wasm/protocol';
import { decodeOverlayEndpoint } from '../src/overlay/endpoint.ts';
import { answer, type Greeted, greet } from '../src/overlay/handshake.ts';
import { encodeForward, encodeForwarded, encodeNeighbours } from '../src/overlay/link-bytes.ts';
import { LINK } from '../src/overlay/link-kinds.ts';
import { MemberBudgets } from '../src/overlay/member-budgets.ts';
import { targetOf } from '../src/overlay/members.ts';
import { openOverlayKey } from '../src/overlay/overlay-key.ts';
import { secureClient, secureServer } from '../src/overlay/secure-socket.ts';
import { encodeFrame } from '../src/wire/frame-parser.ts';
import { bytesFrom } from './testing/script.ts';
import { Committee, type Seat } from './testing/validators.ts';

const HURRY = 25;

/** A clock at the usual pace, at which a busy machine finishes its handshakes, until it is set to hurry. */
class ChangingClock implements Clock {
  #pace = 1;
  #aheadMillis = 0;
  #changedAt: number = SYSTEM_CLOCK.monotonic();

  now(): number {
    return SYSTEM_CLOCK.now() + this.#ahead();
  }

  monotonic(): number {
    return SYSTEM_CLOCK.monotonic() + this.#ahead();
  }

  after(millis: number, call: () => void): () => void {
    return SYSTEM_CLOCK.after(millis / this.#pace, call);
  }

  setPace(pace: number): void {
    this.#aheadMillis = this.#ahead();
    this.#changedAt = SYSTEM_CLOCK.monotonic();
    this.#pace = pace;
  }

  #ahead(): number {
    return this.#aheadMillis + (this.#pace - 1) * (SYSTEM_CLOCK.monotonic() - this.#changedAt);
  }
}

const STRANGERS = 80;
const STRANGERS_MAX = 64;
const FORWARD_BURST = 4_000;

await init();

const budgets = new MemberBudgets(SYSTEM_CLOCK);
const budgetOf = (id: string) => budgets.readBudgetOf(id);

function called(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  return socket;
}

interface Rude {
  readonly channel: Greeted['channel'];
  /** Kinds of frames that came. */
  readonly heard: number[];
}

/** As the second of the committee, by hand. */
async function greeted(committee: Committee, [server, own]: [Seat, Seat]): Promise<Rude> {
  const { chainId } = committee.script.manifest;
  const key = await openOverlayKey(own.directory);
  const [port] = server.overlay.ports as [number];
  const heard: number[] = [];
  const { channel, attach } = await greet(
    secureClient(connect(port, '127.0.0.1'), chainId),
    server.id,
    {
      own: { chainId, validatorId: own.id, key },
      clock: SYSTEM_CLOCK,
      keyHashOf: () => decodeOverlayEndpoint(server.endpoint).keyHash,
      budgetOf,
    },
  );
  attach({ onFrame: (kind) => heard.push(kind), onClose: () => {} });
  await until(() => server.overlay.neighbours().includes(own.id), 'the link');
  channel.send(LINK.ping, new Uint8Array(8));
  await until(() => heard.includes(LINK.pong), 'an answer to what is right');
  return { channel, heard };
}

describe('bad input between validators', () => {
  test('strangers who say nothing are let go after a while, and cannot keep members out', async (t) => {
    const clock = new ChangingClock();
    const committee = await Committee.start(t, 'silent', ['routed', 'unrouted'], { clock });
    clock.setPace(HURRY);
    const [server] = committee.seats as [Seat, Seat];
    const [port] = server.overlay.ports as [number];
    const sockets = Array.from({ length: STRANGERS }, () => called(port));
    t.after(() => {
      for (const socket of sockets) socket.destroy();
    });
    const open = (): number => sockets.filter(({ closed }) => !closed).length;
    await until(() => open() <= STRANGERS_MAX, 'those beyond the limit to be refused');
    await until(() => open() === 0, 'the rest to be closed');
    clock.setPace(1);
    committee.convene();
    await until(() => server.overlay.neighbours().length === 1, 'a member');
  });

  const unknownId = '00'.repeat(48);
  const wrong: readonly [string, Uint8Array][] = [
    ['a kind that is none', Uint8Array.of(99, 1, 1)],
    ['a frame of the handshake', Uint8Array.of(1, 1, 1)],
    ['a length beyond the limit', Uint8Array.of(LINK.ping, 9)],
    ['a length in five bytes', Uint8Array.of(LINK.message, 0xff, 0xff, 0xff, 0xff, 1)],
    ['half a time', encodeFrame(LINK.ping, new Uint8Array(7))],
    ['neighbours that end early', encodeFrame(LINK.neighbours, Uint8Array.of(2, 1, 2, 3))],
    ['more neighbours than there are seats', encodeFrame(LINK.neighbours, Uint8Array.of(0xff, 1))],
    ['more targets than allowed', encodeFrame(LINK.forward, Uint8Array.of(0xff, 1))],
    ['targets that end early', encodeFrame(LINK.forward, Uint8Array.of(3, 1, 2))],
    ['a record that is none', encodeFrame(LINK.record, bytesFrom('record', 60))],
    ['half an origin', encodeFrame(LINK.forwarded, new Uint8Array(47))],
    ['an answer about no slot', encodeFrame(LINK.slotAnswer, new Uint8Array(0))],
  ];
  test('what a member sends wrong ends its link, and nothing is heard of it', async (t) => {
    const committee = await Committee.start(t, 'rude', ['routed', 'unrouted']);
    const [server, own] = committee.seats as [Seat, Seat];
    await own.overlay.close();
    committee.convene();
    for (const [name, bytes] of wrong) {
      const { channel } = await greeted(committee, [server, own]);
      channel.socket.write(bytes);
      await until(() => !channel.isOpen, name);
      await until(() => server.overlay.neighbours().length === 0, `${name}: the end of the link`);
    }
    assert.deepEqual(server.received, []);
  });

  test('a member cannot pass on messages in the name of one that has a link of its own', async (t) => {
    const committee = await Committee.start(t, 'names', [
      'routed',
      'unrouted',
      'unrouted',
      'unrouted',
    ]);
    const [server, own, linked, away] = committee.seats as [Seat, Seat, Seat, Seat];
    for (const { overlay } of [own, away]) await overlay.close();
    committee.convene();
    const { channel } = await greeted(committee, [server, own]);
    await until(() => server.overlay.neighbours().includes(linked.id), 'the link of its own');
    for (const { id } of [linked, own, away])
      channel.send(LINK.forwarded, encodeForwarded(id, bytesFrom('question', 20)));
    await until(() => server.received.some(({ from }) => from === away.id), 'what is passed on');
    assert.deepEqual(
      server.received.map(({ from }) => from),
      [away.id],
    );
  });

  test('a frame that never ends closes its link, and repeated or unexpected frames are ignored', async (t) => {
    const clock = new ChangingClock();
    const committee = await Committee.start(t, 'odd', ['routed', 'unrouted'], { clock });
    const [server, own] = committee.seats as [Seat, Seat];
    await own.overlay.close();
    committee.convene();
    const { channel, heard } = await greeted(committee, [server, own]);
    channel.send(LINK.slotAnswer, Uint8Array.of(1));
    channel.send(LINK.pong, new Uint8Array(16));
    channel.send(LINK.neighbours, encodeNeighbours([unknownId, unknownId]));
    channel.send(LINK.forwarded, new Uint8Array(60));
    heard.length = 0;
    channel.send(LINK.ping, new Uint8Array(8));
    await until(() => heard.includes(LINK.pong), 'the link to be as it was');
    clock.setPace(HURRY);
    channel.socket.write(Uint8Array.of(LINK.message, 100, 1));
    await until(() => !channel.isOpen, 'the end of the link');
    assert.deepEqual(server.received, []);
  });

  test('what comes with the last word of the handshake is heard', async (t) => {
    const key = (seed: number) => mlDsa65.keygen(new Uint8Array(32).fill(seed));
    const [caller, other] = [key(1), key(2)];
    const chainId = bytesFrom('chain', 48);
    const ids = ['11', '22'].map((byte) => byte.repeat(48)) as [string, string];
    const hashes = new Map([
      [ids[0], toHex(keyHash(caller.publicKey))],
      [ids[1], toHex(keyHash(other.publicKey))],
    ]);
    const portsOf = (validatorId: string, own: typeof caller) => ({
      own: { chainId, validatorId, key: own },
      clock: SYSTEM_CLOCK,
      keyHashOf: (id: string) => hashes.get(id),
      budgetOf,
    });
    const server = createServer((socket) => {
      const secure = secureServer(socket, chainId);
      const greeting = answer(secure, portsOf(ids[1], other));
      // Its last word and what follows leave in one piece.
      secure.once('secure', () => setImmediate(() => secure.cork()));
      void greeting.then((there) => {
        there.channel.send(LINK.ping, new Uint8Array(8));
        secure.uncork();
      });
    });
    t.after(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const socket = secureClient(connect(port, '127.0.0.1'), chainId);
    const { attach, channel } = await greet(socket, ids[1], portsOf(ids[0], caller));
    const heard: number[] = [];
    attach({ onFrame: (kind) => heard.push(kind), onClose: () => {} });
    await until(() => heard.includes(LINK.ping), 'what follows');
    channel.close();
  });

  test('a flood of messages to pass on is read at the pace of a budget that outlives the link, and each is passed on once', async (t) => {
    const committee = await Committee.start(t, 'flood', ['routed', 'unrouted', 'unrouted']);
    const [server, own, target] = committee.seats as [Seat, Seat, Seat];
    await own.overlay.close();
    committee.convene();
    await until(() => server.overlay.neighbours().includes(target.id), 'the target');
    const message = committee.vote(1);
    const forward = encodeForward({ targets: [target.id, target.id].map(targetOf), message });
    const frame = encodeFrame(LINK.forward, forward);
    const received = (): number => server.overlay.traffic.receivedBytes;
    const before = received();
    const began = performance.now();
    for (let link = 0; link < 3; link++) {
      const { channel } = await greeted(committee, [server, own]);
      for (let sent = 0; sent < 2 * FORWARD_BURST; sent++) channel.socket.write(frame);
      await until(() => target.received.length > 0, 'the message');
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const seconds = (performance.now() - began) / 1_000;
    const frames = (received() - before) / frame.length;
    assert.ok(frames < FORWARD_BURST + 1_000 * (seconds + 2), `${frames} frames`);
    assert.ok(target.received.length <= 2 + seconds, `${target.received.length} times`);
    assert.equal(committee.checks, 1, 'one signature was checked');
    assert.ok(server.overlay.neighbours().includes(target.id));
  });
});
