/**
 * The one place where a consensus key is used. A signature leaves only after the record of it is
 * durable, so whatever happens to the process, two different messages for one position never exist.
 */
import type { MessageKind, Signature } from '../base/messages.ts';
import type { Height, Round } from '../base/types.ts';
import type { ConsensusKey, KeyLock, SignStateStorage } from './ports.ts';
import type { RefusalReason, SignDecision, SignState } from './sign-state.ts';
import { decideSigning, sameBytes, signStepOf } from './sign-state.ts';
import { decodeSignState, encodeSignState } from './sign-state-codec.ts';

/** How long a key without a record stays silent, watching for another holder. */
export const SILENT_CUTS = 48;

export type OpenFault =
  | 'sign_state_missing'
  | 'sign_state_damaged'
  | 'sign_state_of_another_key'
  | 'sign_state_exists'
  | 'key_locked'
  | 'key_in_use_elsewhere';

export interface SignerPorts {
  readonly storage: SignStateStorage;
  readonly lock: KeyLock;
  readonly key: ConsensusKey;
}

export interface OpenOptions {
  /** The height the chain is at; the silence of a new record counts from here. */
  readonly chainHeight: Height;
  /** Given by the operator (`--new-sign-state`): start a record where there is none. */
  readonly newSignState: boolean;
  /** The key has never signed: the chain knows no vote of it, so there is nothing to wait for. */
  readonly firstUse?: boolean;
}

export type OpenResult =
  | { readonly type: 'open'; readonly signer: Signer }
  | { readonly type: 'refused'; readonly reason: OpenFault };

export type SignResult =
  | { readonly type: 'signed'; readonly signature: Signature }
  | { readonly type: 'refused'; readonly reason: RefusalReason };

export function openSigner(ports: SignerPorts, options: OpenOptions): OpenResult {
  if (!ports.lock.acquire(ports.key.id)) return { type: 'refused', reason: 'key_locked' };
  const opened = loadState(ports, options);
  if (typeof opened === 'string') {
    ports.lock.release();
    return { type: 'refused', reason: opened };
  }
  return { type: 'open', signer: new Signer(ports, opened) };
}

function loadState(ports: SignerPorts, options: OpenOptions): SignState | OpenFault {
  const bytes = ports.storage.read();
  if (bytes === undefined) {
    if (!options.newSignState) return 'sign_state_missing';
    const wait = options.firstUse === true ? 0 : SILENT_CUTS;
    const silentThrough = (options.chainHeight + wait) as Height;
    const state: SignState = {
      keyId: ports.key.id,
      silentThrough,
      stopped: false,
      last: undefined,
    };
    store(ports.storage, state);
    return state;
  }
  if (options.newSignState) return 'sign_state_exists';
  const state = decodeSignState(bytes);
  if (state === undefined) return 'sign_state_damaged';
  if (!sameBytes(state.keyId, ports.key.id)) return 'sign_state_of_another_key';
  return state.stopped ? 'key_in_use_elsewhere' : state;
}

function store(storage: SignStateStorage, state: SignState): void {
  storage.writeTemporary(encodeSignState(state));
  storage.syncTemporary();
  storage.renameTemporary();
  storage.syncDirectory();
}

export class Signer {
  readonly #ports: SignerPorts;
  #state: SignState;

  constructor(ports: SignerPorts, state: SignState) {
    this.#ports = ports;
    this.#state = state;
  }

  get state(): SignState {
    return this.#state;
  }

  sign(kind: MessageKind, height: Height, round: Round, signedBytes: Uint8Array): SignResult {
    const request = { height, round, step: signStepOf(kind), signedBytes };
    const decision: SignDecision = decideSigning(this.#state, request);
    if (decision.type === 'refuse') return { type: 'refused', reason: decision.reason };
    if (decision.type === 'repeat') return { type: 'signed', signature: decision.signature };
    const signature = this.#ports.key.sign(signedBytes);
    const state = { ...this.#state, last: { ...request, signature } };
    store(this.#ports.storage, state);
    this.#state = state;
    return { type: 'signed', signature };
  }

  /**
   * A validly signed message of this key was seen. During the silence nothing was signed here, so
   * somebody else holds the key: it stops for good.
   */
  ownMessageSeen(height: Height): boolean {
    if (height > this.#state.silentThrough || this.#state.last !== undefined) return false;
    const state = { ...this.#state, stopped: true };
    store(this.#ports.storage, state);
    this.#state = state;
    return true;
  }

  close(): void {
    this.#ports.lock.release();
  }
}
