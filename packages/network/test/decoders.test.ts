import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { init } from 'svc-wasm';
import { concatBytes, fromHex, SvcError, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { CUT_HEADER_BYTES, decodeIdsProof, encodeLeavesProof } from 'svc-wasm/protocol';
import { decodeHello, encodeHello } from '../src/handshake/hello-bytes.ts';
import { decodeOverlayEndpoint, encodeOverlayEndpoint } from '../src/overlay/endpoint.ts';
import {
  decodeCallerHello,
  decodeChallenge,
  decodeWelcome,
  encodeCallerHello,
  encodeChallenge,
  encodeWelcome,
} from '../src/overlay/handshake-bytes.ts';
import {
  decodeForward,
  decodeForwarded,
  decodeNeighbours,
  encodeForward,
  encodeForwarded,
  encodeNeighbours,
} from '../src/overlay/link-bytes.ts';
import { peekRecord, signRecord } from '../src/overlay/record.ts';
import { decodePeers, encodePeers } from '../src/peers/exchange-bytes.ts';
import * as relay from '../src/relay/relay-bytes.ts';
import * as states from '../src/sync/state-bytes.ts';
import * as sync from '../src/sync/sync-bytes.ts';
import { IdList } from './testing/id-list.ts';
import { bytesFrom } from './testing/script.ts';

await init();

const id = (name: string): string => toHex(bytesFrom(name, 48));
const ids = ['a', 'b', 'c'].map(id);
const block = { id: id('x'), header: bytesFrom('header', 312), body: bytesFrom('body', 700) };
const key = mlDsa65.keygen(bytesFrom('key', 32));
const route = { host: 'validator.example', port: 28_704, tcp: true, quic: true };

interface Codec {
  readonly name: string;
  readonly sample: Uint8Array;
  readonly decode: (bytes: Uint8Array) => unknown;
  /** Back to bytes; undefined where decoding leaves something out. */
  readonly encode: ((value: never) => Uint8Array) | undefined;
}

function codec<T>(
  name: string,
  sample: Uint8Array,
  decode: (bytes: Uint8Array) => T,
  encode?: (value: T) => Uint8Array,
): Codec {
  return { name, sample, decode, encode };
}

const HELLO = {
  identity: { chainId: id('chain'), protocolVersion: 1, rulesId: id('rules') },
  tip: { height: 70_000, cutId: id('cut') },
  holdings: { mode: 'pruned', headersFrom: 1, blocksFrom: 60_000 } as const,
  listeningPort: 28_700,
  agent: 'svcd/0.1.0',
};
const PEERS = [
  {
    id: '12D3KooWFuHEFU8xaYcBmURSWW1xRbRBZs8cEWJbfUqzSqf4hfbc',
    address: { host: '203.0.113.7', port: 28_700 },
  },
];
const COMPACT = {
  header: bytesFrom('header', 312),
  payout: bytesFrom('payout', 49),
  parents: [bytesFrom('parent', 48)],
  transactionIds: ids,
};
const RECORD = {
  validatorId: id('v'),
  sequence: 7,
  expiryMillis: 9_000,
  routes: [route],
  relays: ids.slice(0, 2),
};
const CALLER = {
  callerId: id('caller'),
  calledId: id('called'),
  nonce: bytesFrom('nonce', 32),
  publicKey: bytesFrom('public', 1_952),
  signature: bytesFrom('signature', 3_309),
};

const CODECS: readonly Codec[] = [
  codec('hello', encodeHello(HELLO), decodeHello, encodeHello),
  codec(
    'states',
    states.encodeStates([{ height: 1_152, manifestId: id('manifest') }]),
    states.decodeStates,
    states.encodeStates,
  ),
  codec(
    'range of a state',
    states.encodeRangeRequest({ manifestId: id('manifest'), index: 70_000 }),
    states.decodeRangeRequest,
    states.encodeRangeRequest,
  ),
  codec('peers', encodePeers(PEERS), decodePeers, encodePeers),
  codec(
    'announcement',
    relay.encodeAnnouncement({ transactions: ids, blocks: ids }),
    relay.decodeAnnouncement,
    relay.encodeAnnouncement,
  ),
  codec('tip', relay.encodeTip(HELLO.tip), relay.decodeTip, relay.encodeTip),
  codec('ids', relay.encodeIds(ids), (bytes) => relay.decodeIds(bytes, 16), relay.encodeIds),
  codec(
    'transaction',
    relay.encodeTransaction(id('t'), bytesFrom('wire', 200)),
    relay.decodeTransactionMessage,
    ({ id: of, wire }) => relay.encodeTransaction(of, wire),
  ),
  codec(
    'compact block',
    relay.encodeCompactBlock(COMPACT),
    relay.decodeCompactBlock,
    relay.encodeCompactBlock,
  ),
  codec(
    'block request',
    relay.encodeBlockRequest(id('b'), [0, 3, 900]),
    relay.decodeBlockRequest,
    ({ blockId, indexes }) => relay.encodeBlockRequest(blockId, indexes),
  ),
  codec(
    'block transactions',
    relay.encodeBlockTransactions(id('b'), [bytesFrom('w', 300), bytesFrom('v', 20)]),
    relay.decodeBlockTransactions,
    ({ blockId, wires }) => relay.encodeBlockTransactions(blockId, wires),
  ),
  codec('full block', relay.encodeFullBlock(block), relay.decodeFullBlock, (parts) =>
    relay.encodeFullBlock({ ...parts, id: '' }),
  ),
  codec(
    'height range',
    sync.encodeHeightRange({ from: 5, count: 64 }),
    (bytes) => sync.decodeHeightRange(bytes, 64),
    sync.encodeHeightRange,
  ),
  codec(
    'range of ids',
    sync.encodeIdsRange({ height: 70_000, from: 4_096, count: 4_096 }),
    sync.decodeIdsRange,
    sync.encodeIdsRange,
  ),
  codec(
    'ids',
    new IdList(ids.map((each) => fromHex(each))).proof(ids.length, 1, ids.length - 1) ??
      assert.fail(),
    decodeIdsProof,
    ({ list, leaves }) => encodeLeavesProof(list, leaves),
  ),
  codec(
    'header range',
    sync.encodeHeaderRange({
      headers: [bytesFrom('h1', CUT_HEADER_BYTES), bytesFrom('h2', CUT_HEADER_BYTES)],
      certificate: bytesFrom('certificate', 500),
    }),
    sync.decodeHeaderRange,
    sync.encodeHeaderRange,
  ),
  codec(
    'cut body',
    concatBytes(sync.encodeHeight(9), bytesFrom('body', 100)),
    sync.decodeCutBodyMessage,
    ({ height, body }) => concatBytes(sync.encodeHeight(height), body),
  ),
  codec(
    'cut',
    sync.encodeCutMessage({
      header: bytesFrom('h', CUT_HEADER_BYTES),
      body: bytesFrom('body', 90),
      certificate: bytesFrom('certificate', 300),
    }),
    sync.decodeCutMessage,
    sync.encodeCutMessage,
  ),
  codec(
    'endpoint',
    encodeOverlayEndpoint({ keyHash: id('key'), routes: [route] }),
    decodeOverlayEndpoint,
    encodeOverlayEndpoint,
  ),
  codec('record', signRecord(RECORD, bytesFrom('chain', 48), key).bytes, peekRecord),
  codec('challenge', encodeChallenge(bytesFrom('nonce', 32)), decodeChallenge, encodeChallenge),
  codec('caller hello', encodeCallerHello(CALLER), decodeCallerHello, encodeCallerHello),
  codec('welcome', encodeWelcome(CALLER), decodeWelcome, encodeWelcome),
  codec(
    'forward',
    encodeForward({ targets: ids.map((one) => one.slice(0, 16)), message: bytesFrom('m', 80) }),
    decodeForward,
    encodeForward,
  ),
  codec('forwarded', encodeForwarded(id('o'), bytesFrom('m', 80)), decodeForwarded, (value) =>
    encodeForwarded(value.origin, value.message),
  ),
  codec('neighbours', encodeNeighbours(ids), decodeNeighbours, encodeNeighbours),
];

/** Bytes near a good message: cut, lengthened, or with some bytes changed. */
function near(sample: Uint8Array): fc.Arbitrary<Uint8Array> {
  const change = fc.tuple(fc.nat(sample.length - 1), fc.integer({ min: 0, max: 255 }));
  return fc
    .record({
      changes: fc.array(change, { maxLength: 4 }),
      length: fc.oneof(fc.constant(sample.length), fc.nat(sample.length)),
      tail: fc.uint8Array({ maxLength: 3 }),
    })
    .map(({ changes, length, tail }) => {
      const bytes = new Uint8Array(length + tail.length);
      bytes.set(sample.subarray(0, length));
      for (const [at, value] of changes) if (at < length) bytes[at] = value;
      bytes.set(tail, length);
      return bytes;
    });
}

for (const { name, sample, decode, encode } of CODECS)
  test(`bytes of ${name}: refused with an error of their own, or written back as they were`, () => {
    if (encode !== undefined) assert.deepEqual(encode(decode(sample) as never), sample);
    const anything = fc.oneof(near(sample), near(sample), fc.uint8Array({ maxLength: 600 }));
    fc.assert(
      fc.property(anything, (bytes) => {
        try {
          const value = decode(bytes);
          if (encode !== undefined) assert.deepEqual(encode(value as never), bytes);
        } catch (error) {
          if (!(error instanceof SvcError)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });

test('one thing has one form: byte order marks and IPv4 inside IPv6 are refused', () => {
  const mark = Uint8Array.of(0xef, 0xbb, 0xbf);
  const hello = encodeHello({ ...HELLO, agent: 'abc' });
  const marked = new Uint8Array(hello.length + 3);
  marked.set(hello.subarray(0, -4));
  marked.set([6, ...mark, 97, 98, 99], hello.length - 4);
  assert.throws(() => decodeHello(marked), SvcError);
  const [peer] = PEERS as [(typeof PEERS)[0]];
  const bytes = encodePeers([{ ...peer, address: { host: '2606:4700::1', port: 1 } }]);
  bytes.set([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 8, 8, 8, 8], 34);
  assert.throws(() => decodePeers(bytes), SvcError);
});
