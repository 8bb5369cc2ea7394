/**
 * The answering side of `/svc/sync/1`: one stream for each peer, one request at a time, within the peer's budget of
 * bytes. Nothing else is kept for a peer between requests.
 */
import type { Connection, Libp2p, Stream } from '@libp2p/interface';
import type { Clock } from 'svc-base/pure';
import { HEADERS_PER_REQUEST_MAX } from 'svc-finality';
import { equalBytes } from 'svc-wasm/base';
import { decodeCutHeader } from 'svc-wasm/protocol';
import type { NetworkApplication } from '../application.ts';
import type { Rate } from '../base/token-bucket.ts';
import type { PeerBudgets } from '../peers/peer-budgets.ts';
import type { Peers } from '../peers/peers.ts';
import { decodeIds } from '../relay/relay-bytes.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import { type Answer, serveRequests } from '../wire/requests.ts';
import { CHECKPOINT_CUTS } from './checkpoints.ts';
import { decodeRangeRequest, encodeStates, partsOf } from './state-bytes.ts';
import {
  BLOCKS_PER_REQUEST_MAX,
  BODIES_PER_REQUEST_MAX,
  decodeHeight,
  decodeHeightRange,
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
  /** The budget of answers to one peer. */
  readonly served: Rate;
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
const NOTHING = new Uint8Array(0);

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
    const { clock, peers, budgets, served } = this.#options;
    const peer = peers.get(connection.remotePeer.toString());
    if (peer?.connection !== connection) {
      stream.abort(new Error('no handshake'));
      return;
    }
    serveRequests(stream, {
      limits: REQUEST_LIMITS,
      clock,
      budget: budgets.requestsOf(peer, SYNC_PROTOCOL, BUDGET),
      onRequest: async (kind, payload, answer) => {
        await this.#answer(kind, payload, async (answerKind, ...parts) => {
          const bytes = parts.reduce((sum, { length }) => sum + length, 0);
          await budgets.allow(peer, SYNC_PROTOCOL, served, bytes);
          await answer(answerKind, ...parts);
        });
      },
      onClose: (error) => {
        if (error instanceof PeerFault) peer.reject(error);
      },
    });
  }

  async #answer(kind: number, payload: Uint8Array, answer: Answer): Promise<void> {
    switch (kind) {
      case SYNC.getHeaders:
        return await this.#headers(payload, answer);
      case SYNC.getBodies:
        return await this.#bodies(payload, answer);
      case SYNC.getBlocks:
        return await this.#blocks(payload, answer);
      case SYNC.getSet:
        return await this.#set(payload, answer);
      case SYNC.getStates:
        return await answer(
          SYNC.states,
          encodeStates(this.#options.application.states?.offers() ?? []),
        );
      case SYNC.getManifest:
        return await this.#manifest(payload, answer);
      case SYNC.getRange:
        return await this.#range(payload, answer);
      default:
        return await this.#cut(payload, answer);
    }
  }

  async #headers(payload: Uint8Array, answer: Answer): Promise<void> {
    const { application } = this.#options;
    const { from, count } = decoded(() => decodeHeightRange(payload, HEADERS_PER_REQUEST_MAX));
    const headers = upToNextSet(await application.headers(from, count));
    const certified = await this.#lastCertified(from, headers.length);
    if (certified === undefined) return;
    const { height, certificate } = certified;
    const range = { headers: headers.slice(0, height - from + 1), certificate };
    await answer(SYNC.headers, encodeHeaderRange(range));
  }

  /** The last height of the range with a certificate. */
  async #lastCertified(
    from: number,
    count: number,
  ): Promise<{ height: number; certificate: Uint8Array } | undefined> {
    const last = from + count - 1;
    const checkpoint = last - (last % CHECKPOINT_CUTS);
    const walk = Array.from({ length: count }, (_, index) => last - index);
    for (const height of [last, checkpoint, ...walk]) {
      if (height < from) continue;
      const certificate = await this.#options.application.certificate(height);
      if (certificate !== undefined) return { height, certificate };
    }
    return undefined;
  }

  async #bodies(payload: Uint8Array, answer: Answer): Promise<void> {
    const { from, count } = decoded(() => decodeHeightRange(payload, BODIES_PER_REQUEST_MAX));
    for (let height = from; height < from + count; height++) {
      const body = await this.#options.application.cutBody(height);
      if (body === undefined) return;
      await answer(SYNC.body, encodeHeight(height), body);
    }
  }

  async #blocks(payload: Uint8Array, answer: Answer): Promise<void> {
    for (const id of decoded(() => decodeIds(payload, BLOCKS_PER_REQUEST_MAX))) {
      const block = await this.#options.application.block(id);
      if (block !== undefined) await answer(SYNC.block, block.header, block.body);
    }
  }

  async #set(payload: Uint8Array, answer: Answer): Promise<void> {
    const setId = decoded(() => decodeSetId(payload));
    const set = await this.#options.application.validatorSet(setId);
    if (set !== undefined) await answer(SYNC.set, set);
  }

  async #manifest(payload: Uint8Array, answer: Answer): Promise<void> {
    const id = decoded(() => decodeSetId(payload));
    const bytes = await this.#options.application.states?.manifest(id);
    for (const part of partsOf(bytes ?? NOTHING)) await answer(SYNC.part, part);
  }

  async #range(payload: Uint8Array, answer: Answer): Promise<void> {
    const { manifestId, index } = decoded(() => decodeRangeRequest(payload));
    const bytes = await this.#options.application.states?.range(manifestId, index);
    for (const part of partsOf(bytes ?? NOTHING)) await answer(SYNC.part, part);
  }

  async #cut(payload: Uint8Array, answer: Answer): Promise<void> {
    const { application } = this.#options;
    const height = decoded(() => decodeHeight(payload));
    const [header] = height === 0 ? [] : await application.headers(height, 1);
    const body = await application.cutBody(height);
    const certificate = await application.certificate(height);
    if (header === undefined || body === undefined || certificate === undefined) return;
    await answer(SYNC.cut, encodeCutMessage({ header, body, certificate }));
  }
}

/** A range ends where another set takes over: one set must have signed its certificate. */
function upToNextSet(headers: readonly Uint8Array[]): readonly Uint8Array[] {
  const last = headers.findIndex((header) => {
    const { validatorSetId, nextValidatorSetId } = decodeCutHeader(header);
    return !equalBytes(validatorSetId, nextValidatorSetId);
  });
  return last === -1 ? headers : headers.slice(0, last + 1);
}
