/**
 * The node's side of the protocol, over one connection: asks for the lease until it is free, keeps it, and passes on what
 * the validator asks of the key. Nothing here decides what may be signed. A session ends with its connection, after a silence of the
 * signer, or when the signer says that the lease is lost; then a new session begins.
 */
import type { Clock } from 'svc-base/pure';
import {
  decodeSignState,
  type Height,
  type SignResult,
  type SignState,
  type SignStateStorage,
  type UnsignedMessage,
} from 'svc-consensus/machine';
import { SvcError } from 'svc-wasm/base';
import {
  decodeAnswer,
  encodeRequest,
  isSigningRefusal,
  SIGNER_PROTOCOL_VERSION,
  type SignerAnswer,
  type SignerRequest,
} from './frames.ts';
import { KEEP_MILLIS, LEASE_MILLIS } from './signing-desk.ts';

export interface SessionOptions {
  readonly chainId: Uint8Array;
  /** Informs the signer's operator who holds the lease. */
  readonly name: string;
}

export interface SessionPorts {
  readonly clock: Clock;
  readonly send: (frame: Uint8Array) => void;
  readonly setIdAt: (height: Height) => Uint8Array | undefined;
  readonly onGranted: (lease: SignerLease) => void;
  /** Another node holds the lease. */
  readonly onHeld: (publicKey: Uint8Array, holder: string) => void;
  /** Called once; the connection is of no more use. */
  readonly onEnded: (reason: string) => void;
}

type Answered = Extract<SignerAnswer, { readonly id: number }>;

export class SignerSession {
  readonly #options: SessionOptions;
  readonly #ports: SessionPorts;
  readonly #pending = new Map<number, (answer: Answered | undefined) => void>();
  #nextId = 1;
  #lease: SignerLease | undefined;
  #isEnded = false;
  #cancelBeat: () => void = () => {};
  #cancelWatch: () => void = () => {};

  constructor(options: SessionOptions, ports: SessionPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#watch();
    this.#beat();
  }

  /** A frame without its length. */
  receive(frame: Uint8Array): void {
    if (this.#isEnded) return;
    try {
      this.#watch();
      this.#accept(decodeAnswer(frame));
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.end(`the signer's answer cannot be read: ${error.message}`);
    }
  }

  /** Also called when the connection has ended. Pending requests stay unanswered. */
  end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancelBeat();
    this.#cancelWatch();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const answer of pending) answer(undefined);
    this.#ports.onEnded(reason);
  }

  /** `answer` is called with undefined if the session ends first. */
  request(
    make: (id: number) => SignerRequest,
    answer: (answer: Answered | undefined) => void,
  ): void {
    if (this.#isEnded) {
      answer(undefined);
      return;
    }
    const id = this.#nextId++;
    this.#pending.set(id, answer);
    this.#ports.send(encodeRequest(make(id)));
  }

  #accept(answer: SignerAnswer): void {
    switch (answer.type) {
      case 'granted':
        this.#grant(answer);
        break;
      case 'held':
        this.#ports.onHeld(answer.publicKey, answer.holder);
        break;
      case 'kept':
        break;
      case 'refused':
        if (isSigningRefusal(answer.reason) || answer.reason === 'not_a_heartbeat')
          this.#settle(answer);
        else this.end(`the signer refuses: ${answer.reason}`);
        break;
      default:
        this.#settle(answer);
    }
  }

  #grant({ lease, publicKey, record }: Extract<SignerAnswer, { readonly type: 'granted' }>): void {
    const state = decodeSignState(record);
    if (state === undefined) {
      this.end('the record that the signer shows is damaged');
      return;
    }
    if (this.#lease !== undefined) return;
    this.#lease = new SignerLease(lease, { publicKey, record, state }, this, this.#ports.setIdAt);
    this.#ports.onGranted(this.#lease);
  }

  #settle(answer: Answered): void {
    const settle = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    settle?.(answer);
  }

  /** Asks for the lease, or renews the request. */
  #beat(): void {
    const { chainId, name } = this.#options;
    const request: SignerRequest =
      this.#lease === undefined
        ? { type: 'ask', version: SIGNER_PROTOCOL_VERSION, chainId, name }
        : { type: 'keep', lease: this.#lease.number };
    this.#cancelBeat = this.#ports.clock.after(KEEP_MILLIS, () => this.#beat());
    this.#ports.send(encodeRequest(request));
  }

  #watch(): void {
    this.#cancelWatch();
    this.#cancelWatch = this.#ports.clock.after(LEASE_MILLIS, () =>
      this.end('the signer does not answer'),
    );
  }
}

interface GrantedRecord {
  readonly publicKey: Uint8Array;
  readonly record: Uint8Array;
  readonly state: SignState;
}

/** A lease as a validator uses it: the record to start from, and the key behind it. */
export class SignerLease {
  readonly number: number;
  readonly publicKey: Uint8Array;
  /** The id of the key. */
  readonly keyId: Uint8Array;
  /**
   * The record as the signer showed it. What a validator changes in its copy is passed on: silence and stop. What was
   * signed the signer has stored itself.
   */
  readonly storage: SignStateStorage;
  readonly #session: SignerSession;
  readonly #setIdAt: SessionPorts['setIdAt'];

  constructor(
    number: number,
    { publicKey, record, state }: GrantedRecord,
    session: SignerSession,
    setIdAt: SessionPorts['setIdAt'],
  ) {
    this.number = number;
    this.publicKey = publicKey;
    this.keyId = state.keyId;
    this.#session = session;
    this.#setIdAt = setIdAt;
    this.storage = new CopiedRecord(record, state, (next) => this.#passOn(next));
  }

  /** The first lease may come from a signer that was started from a copy. */
  get isTakenOver(): boolean {
    return this.number > 1;
  }

  /** Never settles if the lease ends before the answer: the signer may have signed, and the next start asks it. */
  sign(message: UnsignedMessage): Promise<SignResult> {
    const setId = this.#setIdAt(message.height);
    if (setId === undefined) throw new Error(`no validator set is known of ${message.height}`);
    return new Promise((resolve) => {
      this.#session.request(
        (id) => ({ type: 'sign', lease: this.number, id, message, setId }),
        (answer) => {
          if (answer?.type === 'signed') resolve({ type: 'signed', signature: answer.signature });
          else if (answer?.type === 'refused' && isSigningRefusal(answer.reason))
            resolve({ type: 'refused', reason: answer.reason });
        },
      );
    });
  }

  /** Undefined if the lease has ended or the signer refuses. */
  signHeartbeat(body: Uint8Array, manifest: string): Promise<Uint8Array | undefined> {
    return new Promise((resolve) => {
      this.#session.request(
        (id) => ({ type: 'heartbeat', lease: this.number, id, manifest, body }),
        (answer) => resolve(answer?.type === 'signed' ? answer.signature : undefined),
      );
    });
  }

  /** Gives the lease back. */
  end(reason: string): void {
    this.#session.end(reason);
  }

  #passOn({ silentThrough, stopped }: SignState): void {
    this.#session.request(
      (id) => ({ type: 'silence', lease: this.number, id, silentThrough, stopped }),
      () => {},
    );
  }
}

class CopiedRecord implements SignStateStorage {
  #record: Uint8Array;
  #state: SignState;
  #next: Uint8Array | undefined;
  readonly #passOn: (next: SignState) => void;

  constructor(record: Uint8Array, state: SignState, passOn: (next: SignState) => void) {
    this.#record = record;
    this.#state = state;
    this.#passOn = passOn;
  }

  read(): Uint8Array {
    return this.#record;
  }

  writeTemporary(bytes: Uint8Array): void {
    this.#next = bytes;
  }

  syncTemporary(): void {}

  renameTemporary(): void {
    const bytes = this.#next;
    const next = bytes === undefined ? undefined : decodeSignState(bytes);
    if (bytes === undefined || next === undefined) throw new Error('no record was written');
    const before = this.#state;
    this.#record = bytes;
    this.#state = next;
    if (next.silentThrough !== before.silentThrough || next.stopped !== before.stopped)
      this.#passOn(next);
  }

  syncDirectory(): void {}
}
