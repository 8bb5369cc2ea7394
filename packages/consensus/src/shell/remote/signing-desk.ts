/**
 * The signer's side of the protocol: one key, one record, and a lease that one connection holds at a time. Only the
 * holder gets signatures, and only those that the record allows. A lease ends with its connection or after a silence.
 * An error of the record's storage is thrown: the process must end, since the contents of the disk are unknown.
 */
import type { Clock, Log } from 'svc-base/pure';
import {
  encodeSignState,
  height as heightOf,
  type Signer,
  signedBytesOf,
} from 'svc-consensus/machine';
import { equalBytes, SvcError } from 'svc-wasm/base';
import { parseManifest } from 'svc-wasm/protocol';
import type { ValidatorKey } from '../validator-key.ts';
import {
  decodeRequest,
  encodeAnswer,
  SIGNER_PROTOCOL_VERSION,
  type SignerAnswer,
  type SignerRequest,
  type SigningRequest,
} from './frames.ts';

/** A connection that is silent for so long is closed, and its lease ends. */
export const LEASE_MILLIS = 6_000;
/** How often the holder of a lease renews it, and how often a waiting node asks again. */
export const KEEP_MILLIS = 1_000;
/** Connections that are served at a time: a node, its standbys and those that are just ending. */
export const CONNECTIONS_MAX = 16;

export interface DeskPorts {
  readonly signer: Signer;
  readonly key: Pick<ValidatorKey, 'publicKey' | 'signHeartbeat'>;
  readonly chainId: Uint8Array;
  readonly clock: Clock;
  readonly log: Log;
}

/** The way back to a connected node. */
export interface DeskLink {
  send(frame: Uint8Array): void;
  end(): void;
}

interface Lease {
  readonly number: number;
  readonly connection: DeskConnection;
}

type Held = Exclude<SignerRequest, { readonly type: 'ask' }>;

export class SigningDesk {
  readonly #ports: DeskPorts;
  /** Waiting nodes in the order in which they asked last. */
  readonly #connections = new Set<DeskConnection>();
  #lease: Lease | undefined;
  #leases = 0;

  constructor(ports: DeskPorts) {
    this.#ports = ports;
  }

  /** The name of the holder of the lease; null if it is free. */
  get holder(): string | null {
    return this.#lease?.connection.name ?? null;
  }

  /** Undefined if there are too many connections already. */
  connect(link: DeskLink): DeskConnection | undefined {
    if (this.#connections.size >= CONNECTIONS_MAX) return undefined;
    const connection = new DeskConnection(link, {
      clock: this.#ports.clock,
      answer: (request, from) => this.#answer(request, from),
      onClosed: (from) => this.#forget(from),
    });
    this.#connections.add(connection);
    return connection;
  }

  close(): void {
    const all = [...this.#connections];
    for (const connection of all) connection.isWaiting = false;
    for (const connection of all) connection.close();
  }

  #answer(request: SignerRequest, from: DeskConnection): SignerAnswer {
    if (request.type === 'ask') return this.#grant(request, from);
    if (this.#lease?.connection !== from || this.#lease.number !== request.lease)
      return { type: 'refused', id: 'id' in request ? request.id : 0, reason: 'lease_lost' };
    return this.#answerHolder(request);
  }

  #grant(
    request: Extract<SignerRequest, { readonly type: 'ask' }>,
    from: DeskConnection,
  ): SignerAnswer {
    const { key, chainId } = this.#ports;
    const { publicKey } = key;
    if (request.version !== SIGNER_PROTOCOL_VERSION)
      return { type: 'refused', id: 0, reason: 'unknown_version' };
    if (!equalBytes(request.chainId, chainId))
      return { type: 'refused', id: 0, reason: 'wrong_chain' };
    from.name = request.name;
    from.isWaiting = this.#lease !== undefined && this.#lease.connection !== from;
    this.#connections.delete(from);
    this.#connections.add(from);
    return from.isWaiting
      ? { type: 'held', publicKey, holder: this.holder ?? '' }
      : this.#give(from);
  }

  /** The current holder receives the grant once more. */
  #give(connection: DeskConnection): SignerAnswer {
    const { signer, key, log } = this.#ports;
    if (this.#lease === undefined) {
      this.#lease = { number: ++this.#leases, connection };
      log.info({ lease: this.#leases, holder: connection.name }, 'lease given');
    }
    const record = encodeSignState(signer.state);
    return { type: 'granted', lease: this.#leases, publicKey: key.publicKey, record };
  }

  #answerHolder(request: Held): SignerAnswer {
    const { signer, chainId, key } = this.#ports;
    switch (request.type) {
      case 'keep':
        return { type: 'kept', lease: request.lease };
      case 'sign':
        return this.#sign(request);
      case 'silence': {
        const { id, silentThrough, stopped } = request;
        return signer.adopt({ silentThrough: heightOf(silentThrough), stopped })
          ? { type: 'done', id }
          : { type: 'refused', id, reason: 'record_is_final' };
      }
      case 'heartbeat': {
        const { id, manifest, body } = request;
        const isOurs = equalBytes(parseManifest(manifest).chainId, chainId);
        const signature = isOurs ? key.signHeartbeat(body, manifest) : undefined;
        return signature === undefined
          ? { type: 'refused', id, reason: 'not_a_heartbeat' }
          : { type: 'signed', id, signature };
      }
    }
  }

  /** The bytes are made here, for the chain of this signer. */
  #sign({ id, message, setId }: SigningRequest): SignerAnswer {
    const { signer, chainId, log } = this.#ports;
    const { kind, height, round } = message;
    const bytes = signedBytesOf({ chainId, setIdAt: () => setId }, message);
    const result = signer.sign(kind, height, round, bytes);
    if (result.type === 'signed') return { type: 'signed', id, signature: result.signature };
    log.warn({ kind, height, round, reason: result.reason }, 'refused to sign');
    return { type: 'refused', id, reason: result.reason };
  }

  #forget(connection: DeskConnection): void {
    this.#connections.delete(connection);
    if (this.#lease?.connection !== connection) return;
    const { number } = this.#lease;
    this.#lease = undefined;
    this.#ports.log.info({ lease: number, holder: connection.name }, 'lease ended');
    // The latest asker is the likeliest to be there still: a vanished machine is noticed by its silence alone.
    const next = [...this.#connections].findLast(({ isWaiting }) => isWaiting);
    if (next === undefined) return;
    next.isWaiting = false;
    next.send(this.#give(next));
  }
}

interface ConnectionPorts {
  readonly clock: Clock;
  readonly answer: (request: SignerRequest, from: DeskConnection) => SignerAnswer;
  readonly onClosed: (connection: DeskConnection) => void;
}

/** One connection to the desk. */
export class DeskConnection {
  name = '';
  /** Whether it has been informed that another node holds the lease. */
  isWaiting = false;
  readonly #link: DeskLink;
  readonly #ports: ConnectionPorts;
  #cancel: () => void = () => {};
  #isClosed = false;

  constructor(link: DeskLink, ports: ConnectionPorts) {
    this.#link = link;
    this.#ports = ports;
    this.#waitForFrame();
  }

  /** A frame without its length. One that cannot be read ends the connection. */
  receive(frame: Uint8Array): void {
    if (this.#isClosed) return;
    this.#waitForFrame();
    try {
      this.send(this.#ports.answer(decodeRequest(frame), this));
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.close();
    }
  }

  send(answer: SignerAnswer): void {
    this.#link.send(encodeAnswer(answer));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancel();
    this.#ports.onClosed(this);
    this.#link.end();
  }

  #waitForFrame(): void {
    this.#cancel();
    this.#cancel = this.#ports.clock.after(LEASE_MILLIS, () => this.close());
  }
}
