/**
 * The asking side of `/svc/sync/1` with one peer. Answers are checked for their form and against what they claim to
 * be; the caller checks what they say about the chain.
 */

import type { Clock } from 'svc-base/pure';
import { HEADERS_PER_REQUEST_MAX } from 'svc-consensus/machine';
import { concatBytes, equalBytes, LABELS, toHex } from 'svc-wasm/base';
import {
  checkLeaves,
  decodeBlockHeader,
  decodeCutBody,
  decodeIdsProof,
  decodeValidatorSet,
  evidenceRoot,
  hashLabel,
  registeredRoot,
  type ValidatorSet,
} from 'svc-wasm/protocol';
import type { BlockBytes, NetworkApplication, StateOffer } from '../application.ts';
import { withPatience } from '../base/with-patience.ts';
import type { Peer } from '../peers/peer.ts';
import { blockIdOf } from '../relay/compact-block.ts';
import { decodeFullBlock, encodeIds } from '../relay/relay-bytes.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import { type Patience, RequestClient } from '../wire/requests.ts';
import type { MissingIds } from './history-keeper.ts';
import {
  decodeStates,
  encodeRangeRequest,
  type RangeRequest,
  STATE_MANIFEST_BYTES_MAX,
  STATE_RANGE_BYTES_MAX,
} from './state-bytes.ts';
import {
  ANSWER_LIMITS,
  type CutMessage,
  decodeCutBodyMessage,
  decodeCutMessage,
  decodeHeaderRange,
  encodeHeight,
  encodeHeightRange,
  encodeIdsRange,
  encodeSetId,
  type HeaderRange,
  IDS_PER_REQUEST_MAX,
  SYNC,
} from './sync-bytes.ts';
import { SYNC_PROTOCOL } from './sync-server.ts';
import type { VerifiedHeader } from './verified-headers.ts';

export interface CutBodyBytes {
  readonly bytes: Uint8Array;
  readonly blockIds: readonly string[];
}

const OPEN_MILLIS_MAX = 10_000;

export class SyncPeer {
  readonly peer: Peer;
  readonly #clock: Clock;
  readonly #application: NetworkApplication;
  readonly #patience: Patience;
  #client: Promise<RequestClient> | undefined;
  #bytes = 0;
  #millis = 0;

  constructor(
    peer: Peer,
    options: {
      readonly clock: Clock;
      readonly application: NetworkApplication;
      readonly silenceMillisMax: number;
      readonly answerMillisMax: number;
    },
  ) {
    this.peer = peer;
    this.#clock = options.clock;
    this.#application = options.application;
    const { silenceMillisMax, answerMillisMax } = options;
    this.#patience = { silenceMillisMax, answerMillisMax };
  }

  /** Bytes per second of its answers, weighed towards the last; undefined before the first. */
  get bytesPerSecond(): number | undefined {
    return this.#millis === 0 ? undefined : (1_000 * this.#bytes) / this.#millis;
  }

  /** Headers that may follow a height, with the certificate of the last; undefined if it has none. */
  async headers(from: number, count: number): Promise<HeaderRange | undefined> {
    const range = { from, count: Math.min(count, HEADERS_PER_REQUEST_MAX) };
    let found: HeaderRange | undefined;
    await this.#ask(SYNC.getHeaders, encodeHeightRange(range), (kind, payload) => {
      expectKind(kind, SYNC.headers, found === undefined);
      found = decoded(() => decodeHeaderRange(payload));
    });
    if (found !== undefined && found.headers.length > range.count)
      throw new PeerFault('invalid', `sent ${found.headers.length} headers for ${range.count}`);
    return found;
  }

  /** Bodies of the cuts of these headers, from the first on; fewer if it has fewer. */
  async bodies(
    headers: readonly VerifiedHeader[],
    onBody: (header: VerifiedHeader, body: CutBodyBytes) => void,
  ): Promise<void> {
    const [first] = headers;
    if (first === undefined) return;
    let count = 0;
    const range = { from: first.height, count: headers.length };
    await this.#ask(SYNC.getBodies, encodeHeightRange(range), (kind, payload) => {
      expectKind(kind, SYNC.body, count < headers.length);
      const { height, body } = decoded(() => decodeCutBodyMessage(payload));
      const header = headers[count++] as VerifiedHeader;
      if (height !== header.height) throw new PeerFault('invalid', `sent body ${height}`);
      onBody(header, bodyOf(header, body));
    });
  }

  /**
   * Blocks of these ids; those it does not have are left out. They are handed on with the root that their body was checked
   * by, since hashing a body is a large part of all work for a block. Nothing is decoded here: what is decoded takes as
   * much memory again, and thousands of blocks may wait for their cut. Where bodies are hashed beside this thread, a wrong
   * one is found out after the answer.
   */
  async blocks(ids: readonly string[], onBlock: (block: BlockBytes) => void): Promise<void> {
    const wanted = new Set(ids);
    const { hashBody } = this.#application;
    const hashing: Promise<void>[] = [];
    const onFrame = (kind: number, payload: Uint8Array): void => {
      expectKind(kind, SYNC.block, true);
      const { header, body } = decoded(() => decodeFullBlock(payload));
      const id = blockIdOf(header);
      if (!wanted.delete(id)) throw new PeerFault('invalid', `sent block ${id}, not asked for`);
      const handOn = (bodyRoot: Uint8Array): void => {
        this.#expectRoot(id, header, bodyRoot);
        onBlock({ id, header, body, bodyRoot });
      };
      if (hashBody === undefined) handOn(hashLabel(LABELS.body, body));
      else hashing.push(hashBody(body).then(handOn));
      hashing.at(-1)?.catch(() => {});
    };
    try {
      await this.#ask(SYNC.getBlocks, encodeIds(ids), onFrame);
    } finally {
      await Promise.allSettled(hashing);
    }
    await Promise.all(hashing);
  }

  /** The next page of missing ids, proven; undefined if it does not have them. */
  async cutIds({ height, from, root }: MissingIds): Promise<readonly Uint8Array[] | undefined> {
    const page = IDS_PER_REQUEST_MAX - (from % IDS_PER_REQUEST_MAX);
    const count = Math.min(page, height - from);
    let found: readonly Uint8Array[] | undefined;
    await this.#ask(SYNC.getCutIds, encodeIdsRange({ height, from, count }), (kind, payload) => {
      expectKind(kind, SYNC.cutIds, found === undefined);
      const { list, leaves } = decoded(() => decodeIdsProof(payload));
      const { indexes } = list;
      const isAsked =
        list.count === height &&
        indexes.length === count &&
        indexes.every((at, place) => at === from + place);
      if (!isAsked) throw new PeerFault('invalid', `sent other ids than those from ${from}`);
      decoded(() => checkLeaves(list, leaves, root));
      found = leaves;
    });
    return found;
  }

  async validatorSet(setId: string): Promise<ValidatorSet | undefined> {
    let found: ValidatorSet | undefined;
    await this.#ask(SYNC.getSet, encodeSetId(setId), (kind, payload) => {
      expectKind(kind, SYNC.set, found === undefined);
      found = decoded(() => decodeValidatorSet(payload));
      if (toHex(found.id) !== setId)
        throw new PeerFault('invalid', `sent another set than asked for`);
    });
    return found;
  }

  async cut(height: number): Promise<CutMessage | undefined> {
    let found: CutMessage | undefined;
    await this.#ask(SYNC.getCut, encodeHeight(height), (kind, payload) => {
      expectKind(kind, SYNC.cut, found === undefined);
      found = decoded(() => decodeCutMessage(payload));
    });
    return found;
  }

  /** The states that it keeps for newcomers. */
  async states(): Promise<StateOffer[]> {
    let found: StateOffer[] | undefined;
    await this.#ask(SYNC.getStates, new Uint8Array(0), (kind, payload) => {
      expectKind(kind, SYNC.states, found === undefined);
      found = decoded(() => decodeStates(payload));
    });
    return found ?? [];
  }

  /** The manifest of a state; undefined if it does not have it. */
  stateManifest(manifestId: string): Promise<Uint8Array | undefined> {
    return this.#parts(SYNC.getManifest, encodeSetId(manifestId), STATE_MANIFEST_BYTES_MAX);
  }

  stateRange(range: RangeRequest): Promise<Uint8Array | undefined> {
    return this.#parts(SYNC.getRange, encodeRangeRequest(range), STATE_RANGE_BYTES_MAX);
  }

  /** The id of a block that was asked for names its header, and the header names this root: no other body has it. */
  #expectRoot(id: string, header: Uint8Array, bodyRoot: Uint8Array): void {
    const { chainId } = this.#application.manifest;
    if (equalBytes(decoded(() => decodeBlockHeader(header, chainId)).bodyRoot, bodyRoot)) return;
    throw new PeerFault('invalid', `sent a wrong body of block ${id}`);
  }

  async #parts(
    request: number,
    payload: Uint8Array,
    bytesMax: number,
  ): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    await this.#ask(request, payload, (kind, part) => {
      bytes += part.length;
      expectKind(kind, SYNC.part, bytes <= bytesMax);
      parts.push(part.slice());
    });
    return parts.length === 0 ? undefined : concatBytes(...parts);
  }

  /** Ends the stream; the next request opens another. */
  close(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.then(
      (opened) => opened.close(),
      () => {},
    );
  }

  async #ask(
    kind: number,
    payload: Uint8Array,
    onFrame: (kind: number, payload: Uint8Array) => void,
  ): Promise<void> {
    const opening = this.#openClient();
    const client = await opening;
    if (!client.isOpen) {
      this.#forget(opening);
      await this.#ask(kind, payload, onFrame);
      return;
    }
    const startedAt = this.#clock.monotonic();
    let bytes = 0;
    await client.request(kind, payload, this.#patience, (answerKind, answer) => {
      bytes += answer.length;
      onFrame(answerKind, answer);
    });
    this.#bytes = this.#bytes / 2 + bytes;
    this.#millis = this.#millis / 2 + Math.max(1, this.#clock.monotonic() - startedAt);
  }

  /** One stream at a time: callers wait while it is being opened. */
  #openClient(): Promise<RequestClient> {
    if (this.#client === undefined) {
      const opening = this.#open();
      this.#client = opening;
      opening.catch(() => this.#forget(opening));
    }
    return this.#client;
  }

  #forget(client: Promise<RequestClient>): void {
    if (this.#client === client) this.#client = undefined;
  }

  async #open(): Promise<RequestClient> {
    const stream = await withPatience(this.#clock, OPEN_MILLIS_MAX, (signal) =>
      this.peer.connection.newStream(SYNC_PROTOCOL, { signal }),
    );
    return new RequestClient(stream, ANSWER_LIMITS, this.#clock);
  }
}

/** The body that belongs to a header, with the ids of its blocks. */
export function bodyOf({ fields, height }: VerifiedHeader, bytes: Uint8Array): CutBodyBytes {
  const { blockIds, evidence } = decoded(() => decodeCutBody(bytes));
  const fits =
    equalBytes(registeredRoot(blockIds), fields.registeredRoot) &&
    equalBytes(evidenceRoot(evidence), fields.evidenceRoot);
  if (!fits) throw new PeerFault('invalid', `sent a wrong body of cut ${height}`);
  return { bytes, blockIds: blockIds.map((id) => toHex(id)) };
}

function expectKind(kind: number, expected: number, hasRoom: boolean): void {
  if (kind === expected && hasRoom) return;
  throw new PeerFault('unexpected', `a frame of kind ${kind} does not belong to this answer`);
}
