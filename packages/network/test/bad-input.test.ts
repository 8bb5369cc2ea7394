/**
 * Every stream protocol against what no honest peer sends: frames that end early, announce too much, are of no
 * known kind, never end or come out of turn, ids named twice, and more streams than one peer has use for. What
 * each payload must look like is shown beside the protocol itself; floods are in the tests of each protocol.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Clock } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { decodeCutHeader } from 'svc-wasm/protocol';
import { HANDSHAKE_PROTOCOL } from '../src/handshake/handshake.ts';
import { Network } from '../src/network.ts';
import { EXCHANGE_PROTOCOL } from '../src/peers/exchange.ts';
import { RELAY_PROTOCOL } from '../src/relay/relay.ts';
import { RELAY } from '../src/relay/relay-bytes.ts';
import { decodeCutMessage, encodeHeight, SYNC } from '../src/sync/sync-bytes.ts';
import { SYNC_PROTOCOL } from '../src/sync/sync-server.ts';
import { LOOPBACK } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer, type RawStream } from './testing/raw-peer.ts';
import { bytesFrom, ChainScript } from './testing/script.ts';

const NOTHING = new Uint8Array(0);
const HURRY = 25;
/** Waits that take a minute are over in seconds, also those that look how much time has passed; the date stays true. */
const HURRIED_CLOCK: Clock = {
  ...SYSTEM_CLOCK,
  monotonic: () => SYSTEM_CLOCK.monotonic() * HURRY,
  after: (millis, run) => SYSTEM_CLOCK.after(millis / HURRY, run),
};

const TRIES_MAX = 20;

interface Protocol {
  readonly id: string;
  /** A kind that the node reads, with a payload that it announces and does not send. */
  readonly begun: Uint8Array;
  readonly streamsMax: number;
  /** A connection without this stream has no purpose, and ends with it. */
  readonly isVital: boolean;
}

const PROTOCOLS: readonly Protocol[] = [
  { id: RELAY_PROTOCOL, begun: Uint8Array.of(RELAY.cut, 56, 1), streamsMax: 1, isVital: true },
  { id: SYNC_PROTOCOL, begun: Uint8Array.of(SYNC.getCut, 8, 1), streamsMax: 2, isVital: false },
  { id: EXCHANGE_PROTOCOL, begun: Uint8Array.of(1), streamsMax: 1, isVital: false },
];

await init();

describe('bad input on every stream protocol', () => {
  const script = new ChainScript({ seed: 'bad input', blocksPerCut: 1 }).grow(3);
  const application = new MemoryApplication(script).adopt();
  let network: Network;
  let hurried: Network;
  const raws: RawPeer[] = [];

  before(async () => {
    const open = async (clock: Clock): Promise<Network> => {
      const directory = temporaryDirectory();
      const made = await Network.create({ ...LOOPBACK, directory, clock }, application);
      await made.start();
      return made;
    };
    network = await open(SYSTEM_CLOCK);
    hurried = await open(HURRIED_CLOCK);
  });
  after(async () => {
    for (const raw of raws) await raw.host.stop();
    await Promise.all([network.close(), hurried.close()]);
  });

  async function stranger(to: Network): Promise<RawPeer> {
    const raw = await RawPeer.create({ after: () => {} });
    raws.push(raw);
    await raw.dial(to);
    return raw;
  }

  /** A hurried network is impatient with honest peers too: on a busy machine one may need several tries to join it. */
  async function joined(to: Network): Promise<RawPeer> {
    for (let tries = 1; ; tries++) {
      const raw = await RawPeer.create({ after: () => {} });
      raws.push(raw);
      try {
        await raw.join(to, application);
        return raw;
      } catch (error) {
        if (to !== hurried || tries === TRIES_MAX) throw error;
      }
    }
  }

  /** Others notice nothing of it. */
  async function expectServed(by: Network): Promise<void> {
    const raw = await joined(by);
    const stream = await raw.open(SYNC_PROTOCOL);
    stream.send(SYNC.getCut, encodeHeight(1));
    await until(() => stream.frames.some(({ kind }) => kind === SYNC.cut), 'an answer to others');
    await raw.host.stop();
  }

  async function ended({ stream }: RawStream): Promise<void> {
    await until(() => stream.status !== 'open' || stream.readStatus !== 'readable', 'the end');
  }

  for (const { id, begun, streamsMax, isVital } of PROTOCOLS) {
    const faults: readonly [string, Uint8Array][] = [
      ['a length beyond the limit', Uint8Array.of(begun[0] as number, 0xff, 0xff, 0xff, 0x7f)],
      ['a length in five bytes', Uint8Array.of(begun[0] as number, 0xff, 0xff, 0xff, 0xff, 1)],
      ['a kind that is none', Uint8Array.of(200, 1, 1)],
      ['noise', bytesFrom('ÿnoise', 4_000).fill(0xee, 0, 1)],
    ];
    for (const [name, bytes] of faults)
      test(`${id}, ${name}: the peer pays`, async () => {
        const raw = await joined(network);
        const peer = network.peers.get(raw.id);
        const stream = await raw.open(id);
        stream.sendBytes(bytes);
        await until(() => peer?.score === -50, 'the fault');
        await ended(stream);
      });

    test(`${id}, a frame that ends early: only its stream ends, and no peer is blamed`, async () => {
      const raw = await joined(network);
      const peer = network.peers.get(raw.id);
      const stream = await raw.open(id);
      stream.sendBytes(begun);
      await stream.stream.close();
      if (isVital) await until(() => peer?.isConnected === false, 'the end of the connection');
      await expectServed(network);
      assert.deepEqual([peer?.score, peer?.isConnected], [0, !isVital]);
    });

    test(`${id}, a frame that never ends: the stream is reset`, async () => {
      const raw = await joined(hurried);
      const peer = hurried.peers.get(raw.id);
      const stream = await raw.open(id);
      stream.sendBytes(begun);
      await ended(stream);
      assert.equal(peer?.score, 0);
      await expectServed(hurried);
    });

    test(`${id}, more than ${streamsMax} streams: the rest are refused, the first continue`, async () => {
      const raw = await joined(network);
      const peer = network.peers.get(raw.id);
      const first = await Promise.all(Array.from({ length: streamsMax }, () => raw.open(id)));
      for (let extra = 0; extra < 8; extra++) {
        const more = await raw.open(id).catch(() => undefined);
        if (more !== undefined) await ended(more);
      }
      assert.deepEqual(
        first.map(({ stream }) => stream.status),
        first.map(() => 'open'),
      );
      assert.deepEqual([peer?.score, peer?.isConnected], [0, true]);
    });
  }

  test(`${HANDSHAKE_PROTOCOL}, a hello that announces too much, ends early or never ends: the connection ends`, async () => {
    for (const [bytes, closes] of [
      [Uint8Array.of(1, 0xff, 0xff, 0x7f), false],
      [Uint8Array.of(1, 100, 1, 2, 3), true],
      [Uint8Array.of(1, 100, 1, 2, 3), false],
      [NOTHING, false],
    ] as const) {
      const raw = await stranger(hurried);
      const stream = await raw.open(HANDSHAKE_PROTOCOL);
      stream.sendBytes(bytes);
      if (closes) await stream.stream.close();
      await until(() => raw.connection.status !== 'open', 'the end of the connection');
      assert.equal(hurried.peers.get(raw.id), undefined);
    }
    await expectServed(hurried);
  });

  test(`${HANDSHAKE_PROTOCOL}, more than one stream: the rest are refused, and the first is answered`, async () => {
    const raw = await stranger(network);
    const first = await raw.open(HANDSHAKE_PROTOCOL);
    for (let extra = 0; extra < 8; extra++) {
      const more = await raw.open(HANDSHAKE_PROTOCOL).catch(() => undefined);
      if (more !== undefined) await ended(more);
    }
    assert.equal(first.stream.status, 'open');
    assert.equal(raw.connection.status, 'open');
  });

  test(`${RELAY_PROTOCOL}, what was not requested is ignored; ids named twice in a request cost points`, async () => {
    const raw = await joined(network);
    const peer = network.peers.get(raw.id);
    const stream = await raw.open(RELAY_PROTOCOL);
    const before = { ...application.submissions };
    const block = script.block('unasked', []);
    stream.send(RELAY.fullBlock, Uint8Array.from([...block.header, ...block.body]));
    stream.send(RELAY.transaction, new Uint8Array(3_000));
    stream.send(RELAY.absentBlocks, Uint8Array.of(1, ...new Uint8Array(48)));
    stream.send(RELAY.announce, Uint8Array.of(2, ...new Uint8Array(96).fill(3), 0));
    await until(() => stream.frames.some(({ kind }) => kind === RELAY.getTransactions), 'asked');
    const asked = stream.frames.filter(({ kind }) => kind === RELAY.getTransactions);
    assert.deepEqual(
      asked.map(({ payload }) => payload.length),
      [49],
      'what is announced twice is asked for once',
    );
    assert.deepEqual(application.submissions, before);
    assert.equal(peer?.score, 0);
    stream.send(RELAY.getTransactions, Uint8Array.of(2, ...new Uint8Array(96).fill(3)));
    await until(() => peer?.score === -50, 'the fault');
  });

  test(`${SYNC_PROTOCOL}, ids named twice cost points; answers come in the order of the requests`, async () => {
    const raw = await joined(network);
    const peer = network.peers.get(raw.id);
    const stream = await raw.open(SYNC_PROTOCOL);
    for (const height of [3, 1, 2]) stream.send(SYNC.getCut, encodeHeight(height));
    stream.send(SYNC.getBlocks, Uint8Array.of(2, ...new Uint8Array(96).fill(3)));
    await until(() => peer?.score === -50, 'the fault');
    await until(() => stream.frames.length >= 6, 'the answers');
    const kinds = stream.frames.map(({ kind }) => kind);
    assert.deepEqual(kinds, [SYNC.cut, 0, SYNC.cut, 0, SYNC.cut, 0]);
    const heights = stream.frames
      .filter(({ kind }) => kind === SYNC.cut)
      .map(({ payload }) => decodeCutHeader(decodeCutMessage(payload).header).height);
    assert.deepEqual(heights, [3n, 1n, 2n]);
  });
});
