/**
 * Asks for blocks and for addresses on one stream after another, two at a time, while an honest peer fetches blocks on one:
 * with no upload limit, and with one that both have to share.
 */
import type { TestEnd } from 'svc-base/testing';
import { encodeIds } from '../../src/relay/relay-bytes.ts';
import { BLOCKS_PER_REQUEST_MAX, SYNC } from '../../src/sync/sync-bytes.ts';
import { SERVED_RATE, SYNC_PROTOCOL } from '../../src/sync/sync-server.ts';
import { END } from '../../src/wire/requests.ts';
import { startNetwork } from '../testing/kit.ts';
import { MemoryApplication } from '../testing/memory-application.ts';
import { RawPeer, type RawStream } from '../testing/raw-peer.ts';
import { askOnNewStreams } from '../testing/reopening.ts';
import { ChainScript, payment } from '../testing/script.ts';
import { type Adversary, closing, type Finding, secondsUntil } from './finding.ts';

const PAYMENTS_PER_BLOCK = 16;
const SECONDS = 10;
const STREAM_SECONDS_MAX = 0.3;
const ADDRESS_STREAMS = 30;
const ADDRESS_ANSWERS_MAX = 5;
const UPLOAD_BYTES_PER_SECOND = 4_000_000;
/** The part of an equal share that the honest peer gets at least, on any machine. */
const SHARE_MIN = 0.5;

interface Served {
  readonly honestBytes: number;
  readonly attackerBytes: number;
  readonly streams: number;
  readonly addressAnswers: number;
}

interface Counter {
  bytes: number;
  streams: number;
}

export const reopenedStreams: Adversary = (size) => reopened(size, 0);
export const reopenedStreamsAtLimit: Adversary = (size) => reopened(size, UPLOAD_BYTES_PER_SECOND);

async function reopened(size: number, limit: number): Promise<Finding> {
  const { application, request, answerBytes } = library();
  const served = (attackers: number): Promise<Served> =>
    closing((t) => serve(t, application, request, { attackers, limit }));
  const [alone, beside] = [await served(0), await served(size)];
  const { honestBytes, attackerBytes, addressAnswers, streams } = beside;
  const budget = SERVED_RATE.burst + SERVED_RATE.perSecond * SECONDS + 4 * answerBytes;
  const share = (honestBytes + attackerBytes) / (size + 1);
  const lists = `${addressAnswers} address lists on ${size * ADDRESS_STREAMS}`;
  return {
    alone: rate(alone.honestBytes),
    beside: rate(honestBytes),
    attacker: `${rate(attackerBytes)} on ${streams} streams, ${lists}`,
    demand: 'half of an equal part of what is served; for the attacker the budget of one origin',
    holds:
      honestBytes >= SHARE_MIN * share &&
      attackerBytes <= size * budget &&
      addressAnswers <= size * ADDRESS_ANSWERS_MAX,
  };
}

/** Blocks to ask for, all of them in one request. */
function library(): { application: MemoryApplication; request: Uint8Array; answerBytes: number } {
  const script = new ChainScript({ seed: 'reopening' });
  const application = new MemoryApplication(script);
  const payments = Array.from({ length: PAYMENTS_PER_BLOCK }, (_, at) =>
    payment(script.manifest, `p ${at}`),
  );
  const blocks = Array.from({ length: BLOCKS_PER_REQUEST_MAX }, (_, at) =>
    script.block(`b ${at}`, payments),
  );
  for (const block of blocks) application.blocks.set(block.id, block);
  return {
    application,
    request: encodeIds(blocks.map(({ id }) => id)),
    answerBytes: blocks.reduce((sum, { header, body }) => sum + header.length + body.length, 0),
  };
}

async function serve(
  t: TestEnd,
  application: MemoryApplication,
  request: Uint8Array,
  { attackers, limit }: { readonly attackers: number; readonly limit: number },
): Promise<Served> {
  const network = await startNetwork(t, application, { uploadBytesPerSecond: limit });
  const [honest, attack] = [counter(), counter()];
  const peers: RawPeer[] = [];
  while (peers.length <= attackers) {
    const raw = await RawPeer.create(t);
    await raw.join(network, application);
    peers.push(raw);
  }
  const [good, ...bad] = peers as [RawPeer, ...RawPeer[]];
  let addressAnswers = 0;
  for (const raw of bad) addressAnswers += await askOnNewStreams(raw, network, ADDRESS_STREAMS);
  const end = performance.now() + 1_000 * SECONDS;
  const reopening = bad.flatMap((raw) => [0, 1].map(() => reopen(raw, request, attack, end)));
  await Promise.all([fetchOnOne(good, request, honest, end), ...reopening]);
  return {
    honestBytes: honest.bytes,
    attackerBytes: attack.bytes,
    streams: attack.streams,
    addressAnswers,
  };
}

async function fetchOnOne(raw: RawPeer, request: Uint8Array, seen: Counter, end: number) {
  const stream = await counted(raw, seen, end);
  while (performance.now() < end) await answered(stream, request, secondsLeft(end));
}

/** Aborts each stream after an answer, or when none came in a moment. */
async function reopen(raw: RawPeer, request: Uint8Array, seen: Counter, end: number) {
  while (performance.now() < end) {
    const stream = await counted(raw, seen, end).catch(() => undefined);
    if (stream === undefined) continue;
    await answered(stream, request, Math.min(STREAM_SECONDS_MAX, secondsLeft(end)));
    stream.stream.abort(new Error('again'));
  }
}

async function counted(raw: RawPeer, seen: Counter, end: number): Promise<RawStream> {
  seen.streams++;
  return await raw.open(SYNC_PROTOCOL, ({ payload }) => {
    if (performance.now() < end) seen.bytes += payload.length;
  });
}

async function answered(stream: RawStream, request: Uint8Array, seconds: number): Promise<void> {
  const answers = (): number => stream.frames.filter(({ kind }) => kind === END).length;
  stream.send(SYNC.getBlocks, request);
  await secondsUntil(() => answers() > 0 || stream.stream.status !== 'open', seconds);
  stream.frames.length = 0;
}

function counter(): Counter {
  return { bytes: 0, streams: 0 };
}

function secondsLeft(end: number): number {
  return (end - performance.now()) / 1_000;
}

function rate(bytes: number): string {
  return `${(bytes / SECONDS / 1e6).toFixed(1)} MB/s`;
}
