/**
 * The answering side of `/svc/sync/1`: the requests of a stream one at a time, within the budget of where the peer comes
 * from. A lookup counts whether it finds anything or not. Nothing else is kept for a peer between requests.
 */
import type { Connection, Libp2p, Stream } from '@libp2p/interface';
import type { Clock, Rate } from 'svc-base/pure';
import { HEADERS_PER_REQUEST_MAX } from 'svc-consensus/machine';
import { equalBytes } from 'svc-wasm/base';
import { CUT_HEADER_BYTES, decodeCutHeader } from 'svc-wasm/protocol';
import type { CertifiedHeight, NetworkApplication } from '../application.ts';
import type { PeerBudgets } from '../peers/peer-budgets.ts';
import type { Peers } from '../peers/peers.ts';
import { LOOKUP_BYTES, type Serving } from '../peers/serving.ts';
import { decodeIds } from '../relay/relay-bytes.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import { type Answer, serveRequests } from '../wire/requests.ts';
import { decodeRangeRequest, encodeStates, partsOf, STATE_RANGE_BYTES_MAX } from './state-bytes.ts';
import {
  BLOCKS_PER_REQUEST_MAX,
  BODIES_PER_REQUEST_MAX,
  decodeHeight,
  decodeHeightRange,
  decodeIdsRange,
  decodeSetId,
  encodeCutMessage,
  encodeHeaderRange,
  encodeHeight,
  REQUEST_LIMITS,
  SYNC,
} from './sync-bytes.ts';

export const SYNC_PROTOCOL = '/svc/sync/1';

export interface SyncServerOptions {
  readonly host: Pick<Libp2p, 'handle' | 'unhandle'>;
  readonly application: NetworkApplication;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly budgets: PeerBudgets;
  /** What an origin is served. */
  readonly rate: Rate;
}

/** The asking peer: its budget and its stream. */
interface Asker {
  readonly serving: Serving;
  readonly answer: Answer;
}

/**
 * Three servers together give a newcomer as much as two of its processors can execute. Sending so much takes about a
 * half of a server's main thread, so one peer alone cannot have all of it.
 */
export const SERVED_RATE: Rate = { perSecond: 16_777_216, burst: 33_554_432 };

const BUDGET = {
  bytes: { perSecond: 262_144, burst: 1_048_576 },
  messages: { perSecond: 100, burst: 400 },
};

export class SyncServer {
  readonly #options: SyncServerOptions;

  constructor(options: SyncServerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#options.host.handle(
      SYNC_PROTOCOL,
      (stream, connection) => this.#serve(stream, connection),
      { maxInboundStreams: 2, maxOutboundStreams: 2 },
    );
  }

  async close(): Promise<void> {
    await this.#options.host.unhandle(SYNC_PROTOCOL);
  }

  #serve(stream: Stream, connection: Connection): void {
    const { clock, peers, budgets, rate } = this.#options;
    const peer = peers.get(connection.remotePeer.toString());
    if (peer?.connection !== connection) {
      stream.abort(new Error('no handshake'));
      return;
    }
    const channel = serveRequests(stream, {
      limits: REQUEST_LIMITS,
      clock,
      budget: budgets.requestsOf(peer, SYNC_PROTOCOL, BUDGET),
      onRequest: (kind, payload, answer) =>
        serving.work(() => this.#answer(kind, payload, { serving, answer })),
      onClose: (error) => {
        if (error instanceof PeerFault) peer.reject(error);
      },
    });
    const service = { protocol: SYNC_PROTOCOL, rate, urgency: 'patient' } as const;
    const serving = budgets.serving(peer, service, channel.gone);
  }

  async #answer(kind: number, payload: Uint8Array, asker: Asker): Promise<void> {
    await asker.serving.turn();
    switch (kind) {
      case SYNC.getHeaders:
        return await this.#headers(payload, asker);
      case SYNC.getBodies:
        return await this.#bodies(payload, asker);
      case SYNC.getBlocks:
        return await this.#blocks(payload, asker);
      case SYNC.getSet:
        return await this.#set(payload, asker);
      case SYNC.getStates:
        return await send(
          asker,
          SYNC.states,
          encodeStates(this.#options.application.states?.offers() ?? []),
        );
      case SYNC.getManifest:
        return await this.#manifest(payload, asker);
      case SYNC.getRange:
        return await this.#range(payload, asker);
      case SYNC.getCutIds:
        return await this.#cutIds(payload, asker);
      default:
        return await this.#cut(payload, asker);
    }
  }

  /** The certificate decides how many headers are read, since those after it are of no use. */
  async #headers(payload: Uint8Array, asker: Asker): Promise<void> {
    const { from, count } = decoded(() => decodeHeightRange(payload, HEADERS_PER_REQUEST_MAX));
    const certified = await this.#certified(from, from + count - 1, asker);
    if (certified === undefined) return;
    const found = await this.#options.application.headers(from, certified.height - from + 1);
    const headers = upToNextSet(found);
    if (headers.length === 0) return;
    asker.serving.charge((found.length - headers.length) * CUT_HEADER_BYTES);
    const last = from + headers.length - 1;
    const ofSet = last < certified.height ? await this.#certified(from, last, asker) : certified;
    if (ofSet === undefined) return;
    const { height, certificate } = ofSet;
    const range = { headers: headers.slice(0, height - from + 1), certificate };
    await send(asker, SYNC.headers, encodeHeaderRange(range));
  }

  async #certified(
    from: number,
    last: number,
    { serving }: Asker,
  ): Promise<CertifiedHeight | undefined> {
    serving.charge(LOOKUP_BYTES);
    return await this.#options.application.lastCertificate(from, last);
  }

  async #bodies(payload: Uint8Array, asker: Asker): Promise<void> {
    const { from, count } = decoded(() => decodeHeightRange(payload, BODIES_PER_REQUEST_MAX));
    for (let height = from; height < from + count; height++) {
      await asker.serving.turn();
      const body = await this.#options.application.cutBody(height);
      if (body === undefined) return asker.serving.charge(LOOKUP_BYTES);
      await send(asker, SYNC.body, encodeHeight(height), body);
    }
  }

  async #blocks(payload: Uint8Array, asker: Asker): Promise<void> {
    for (const id of decoded(() => decodeIds(payload, BLOCKS_PER_REQUEST_MAX))) {
      await asker.serving.turn();
      const block = await this.#options.application.block(id);
      if (block === undefined) asker.serving.charge(LOOKUP_BYTES);
      else await send(asker, SYNC.block, block.header, block.body);
    }
  }

  async #set(payload: Uint8Array, asker: Asker): Promise<void> {
    const setId = decoded(() => decodeSetId(payload));
    const set = await this.#options.application.validatorSet(setId);
    if (set === undefined) asker.serving.charge(LOOKUP_BYTES);
    else await send(asker, SYNC.set, set);
  }

  async #manifest(payload: Uint8Array, asker: Asker): Promise<void> {
    const id = decoded(() => decodeSetId(payload));
    const bytes = await this.#options.application.states?.manifest(id);
    if (bytes === undefined) asker.serving.charge(LOOKUP_BYTES);
    else for (const part of partsOf(bytes)) await send(asker, SYNC.part, part);
  }

  /** A range is read and hashed in one piece, so all of it counts, however much of it the peer takes. */
  async #range(payload: Uint8Array, asker: Asker): Promise<void> {
    const { serving, answer } = asker;
    const { states } = this.#options.application;
    const { manifestId, index } = decoded(() => decodeRangeRequest(payload));
    const bytes = await states?.range(manifestId, index);
    if (bytes === undefined) {
      // A stored range of a state was read and found corrupt.
      const isHere = states?.offers().some((offer) => offer.manifestId === manifestId) === true;
      return serving.charge(isHere ? STATE_RANGE_BYTES_MAX : LOOKUP_BYTES);
    }
    serving.charge(bytes.length);
    for (const part of partsOf(bytes)) {
      await serving.pass(part.length);
      await answer(SYNC.part, part);
    }
  }

  /** The ids are hashed again before they are sent, so they count twice. */
  async #cutIds(payload: Uint8Array, asker: Asker): Promise<void> {
    const { height, from, count } = decoded(() => decodeIdsRange(payload));
    const proof = this.#options.application.cutIds(height, from, count);
    asker.serving.charge(proof?.length ?? LOOKUP_BYTES);
    if (proof !== undefined) await send(asker, SYNC.cutIds, proof);
  }

  /** The entries that most heights lack are looked up first. */
  async #cut(payload: Uint8Array, asker: Asker): Promise<void> {
    const { application } = this.#options;
    const height = decoded(() => decodeHeight(payload));
    asker.serving.charge(LOOKUP_BYTES);
    const certificate = await application.certificate(height);
    if (height === 0 || certificate === undefined) return;
    const [header] = await application.headers(height, 1);
    const body = await application.cutBody(height);
    if (header === undefined || body === undefined) return;
    await send(asker, SYNC.cut, encodeCutMessage({ header, body, certificate }));
  }
}

/** Counts a frame and sends it when it may be sent. */
async function send(
  { serving, answer }: Asker,
  kind: number,
  ...parts: readonly Uint8Array[]
): Promise<void> {
  let bytes = 0;
  for (const { length } of parts) bytes += length;
  await serving.send(bytes);
  await answer(kind, ...parts);
}

/** A range ends where another set takes over: one set must have signed its certificate. */
function upToNextSet(headers: readonly Uint8Array[]): readonly Uint8Array[] {
  const sets = headers.map((header) => decodeCutHeader(header).validatorSetId);
  const next = sets.findIndex((set) => !equalBytes(set, sets[0] as Uint8Array));
  return next === -1 ? headers : headers.slice(0, next);
}
