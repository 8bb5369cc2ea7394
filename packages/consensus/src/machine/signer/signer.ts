/**
 * The one place where a consensus key is used. A signature leaves only after the record of it is
 * durable, so whatever happens to the process, two different messages for one position never exist.
 */
import type { MessageKind, Signature } from '../base/messages.ts';
import type { Height, Round } from '../base/types.ts';
import type { ConsensusKey, KeyLock, SignStateStorage } from './ports.ts';
import type {
  RefusalReason,
  SignDecision,
  SignPosition,
  SignRequest,
  SignState,
} from './sign-state.ts';
import {
  comparePositions,
  decideSigning,
  SILENT_FOR_GOOD,
  SILENT_UNTIL_CURRENT,
  sameBytes,
  signStepOf,
} from './sign-state.ts';
import { decodeSignState, encodeSignState } from './sign-state-codec.ts';

/** How long a key without a complete record stays silent, watching for another holder. */
export const SILENT_CUTS = 48;

export type OpenFault =
  | 'sign_state_missing'
  | 'sign_state_damaged'
  | 'sign_state_of_another_key'
  | 'sign_state_exists'
  | 'sign_state_rolled_back'
  | 'key_locked'
  | 'key_in_use_elsewhere'
  /** The key was replaced on the chain. */
  | 'key_retired';

export interface SignerPorts {
  readonly storage: SignStateStorage;
  readonly lock: KeyLock;
  readonly key: ConsensusKey;
}

export interface OpenOptions {
  /** The height of the local chain, which may be behind the others. */
  readonly chainHeight: Height;
  /** Given by the operator (`--new-sign-state`): start a record where there is none. */
  readonly newSignState: boolean;
  /** The last own message that the log of inputs holds: the record cannot be behind it. */
  readonly lastLogged?: SignPosition;
  /**
   * The key has never signed: the chain knows no vote of it, so there is nothing to wait for. A log
   * with an own message proves otherwise.
   */
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
    const isFirst = options.firstUse === true && options.lastLogged === undefined;
    const silentThrough = isFirst ? options.chainHeight : SILENT_UNTIL_CURRENT;
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
  if (state.stopped) return 'key_in_use_elsewhere';
  if (state.silentThrough === SILENT_FOR_GOOD) return 'key_retired';
  const { lastLogged } = options;
  if (lastLogged !== undefined && comparePositions(lastLogged, state.last) > 0)
    return 'sign_state_rolled_back';
  // A renamed but unsynced record can be read, and still be lost with the power.
  store(ports.storage, state);
  return state;
}

function store(storage: SignStateStorage, state: SignState): void {
  if (storage.replaceLater !== undefined) {
    storage.replaceLater(() => encodeSignState(state));
    return;
  }
  storage.writeTemporary(encodeSignState(state));
  storage.syncTemporary();
  storage.renameTemporary();
  storage.syncDirectory();
}

/** The head from which a silence of so many cuts was counted, if the record has it: a restart keeps it. */
function beforeSilence({ silentThrough }: SignState): number {
  const isCounted = silentThrough !== SILENT_UNTIL_CURRENT && silentThrough !== SILENT_FOR_GOOD;
  return isCounted ? Math.max(0, silentThrough - SILENT_CUTS) : 0;
}

export class Signer {
  readonly #ports: SignerPorts;
  #state: SignState;
  /** True after a failed write: the record on the disk is unknown, so nothing is signed until a new start. */
  #hasFailed = false;
  /** The newest height of a message of this key that came before it was known how far the chain is. */
  #heardThrough = 0;
  /** Whether another process signed with this key since this one started, as seen before the chain was current. */
  #isUsedElsewhere = false;
  /** Up to this height an incomplete record has no information: the key may have signed there before. */
  #pastThrough: number;

  constructor(ports: SignerPorts, state: SignState) {
    this.#ports = ports;
    this.#state = state;
    this.#pastThrough = beforeSilence(state);
  }

  get state(): SignState {
    return this.#state;
  }

  /** The record is new or lacks a signature, and it is not known yet how far the chain is. */
  get awaitsCurrent(): boolean {
    return this.#state.silentThrough === SILENT_UNTIL_CURRENT;
  }

  /**
   * The chain was shown to be as far as the others' with this head: the silence of a record that is not
   * complete begins, and lasts for so many cuts after it. A process that signed above the head meanwhile, or since this one
   * started, still has the key, and it stops for good.
   */
  beginSilence(head: Height, cuts: number): 'silent' | 'stopped' {
    if (!this.awaitsCurrent) return 'silent';
    this.#store({ ...this.#state, silentThrough: (head + cuts) as Height });
    this.#pastThrough = head;
    if (this.#heardThrough <= head && !this.#isUsedElsewhere) return 'silent';
    this.stop();
    return 'stopped';
  }

  /**
   * The key signed something that the record lacks, while the chain was not current: the record is an old copy, and
   * is treated as a lost one from now on, restarts included. `sinceStart` means that the signature was made after
   * this process started.
   */
  recordLacks(height: Height, sinceStart: boolean): void {
    if (this.#state.stopped || this.isRetired) return;
    this.#heardThrough = Math.max(this.#heardThrough, height);
    this.#isUsedElsewhere ||= sinceStart;
    if (!this.awaitsCurrent) this.#store({ ...this.#state, silentThrough: SILENT_UNTIL_CURRENT });
  }

  /** The chain has replaced the key for good: the record stays and forbids every further signature. */
  retire(): void {
    this.#store({ ...this.#state, silentThrough: SILENT_FOR_GOOD });
  }

  get isRetired(): boolean {
    return this.#state.silentThrough === SILENT_FOR_GOOD;
  }

  sign(kind: MessageKind, height: Height, round: Round, signedBytes: Uint8Array): SignResult {
    const request = { height, round, step: signStepOf(kind), signedBytes };
    if (this.#hasFailed) return { type: 'refused', reason: 'storage_failed' };
    const decision: SignDecision = decideSigning(this.#state, request);
    if (decision.type === 'refuse') return { type: 'refused', reason: decision.reason };
    if (decision.type === 'repeat') return { type: 'signed', signature: decision.signature };
    const signature = this.#ports.key.sign(signedBytes, kind);
    this.#store({ ...this.#state, last: { ...request, signature } });
    return { type: 'signed', signature };
  }

  /** The remote signer, which keeps the record that this one is a copy of, has signed and stored this. */
  follow(request: SignRequest, signature: Signature): void {
    this.#state = { ...this.#state, last: { ...request, signature } };
  }

  /**
   * Takes over silence and stop from a copy of this record that a remote validator works with. False if that would
   * revert a permanent one.
   */
  adopt({ silentThrough, stopped }: Pick<SignState, 'silentThrough' | 'stopped'>): boolean {
    if (this.#state.stopped && !stopped) return false;
    if (this.isRetired && silentThrough !== SILENT_FOR_GOOD) return false;
    this.#store({ ...this.#state, silentThrough, stopped });
    return true;
  }

  /**
   * Once after a start, before anything is signed: does the log of the height in progress account
   * for the last signature? `asked` is what the machine asked to be signed while the log was played.
   * If the log has lost that, it may have lost a lock with it, and the key stays silent for the rest
   * of that height.
   */
  resume(height: Height, asked: readonly SignRequest[]): 'resumed' | 'silent' {
    const { last } = this.#state;
    if (last === undefined || last.height < height) return 'resumed';
    const isAccountedFor = asked.some(
      (request) =>
        comparePositions(request, last) === 0 && sameBytes(request.signedBytes, last.signedBytes),
    );
    if (isAccountedFor && this.#state.silentThrough < last.height) return 'resumed';
    if (last.height > this.#state.silentThrough)
      this.#store({ ...this.#state, silentThrough: last.height });
    return 'silent';
  }

  /**
   * A validly signed message of this key came from outside. If the record does not know it, another process holds the
   * key or the record is an old copy: the key stops for good. A record that is known to be incomplete delays that
   * until the chain is current: messages of heights long decided may be from before it.
   */
  ownMessageSeen(
    kind: MessageKind,
    height: Height,
    round: Round,
    signedBytes: Uint8Array,
  ): boolean {
    if (!this.isUnknown(kind, height, round, signedBytes)) return false;
    if (this.awaitsCurrent) {
      this.#heardThrough = Math.max(this.#heardThrough, height);
      return false;
    }
    this.stop();
    return true;
  }

  /**
   * Whether the record cannot account for a message of this key. While it waits for the chain, one message of a
   * height is enough.
   */
  isUnknown(kind: MessageKind, height: Height, round: Round, signedBytes: Uint8Array): boolean {
    const { last } = this.#state;
    if (this.awaitsCurrent && height <= this.#heardThrough) return false;
    if (height <= this.#pastThrough) return false;
    const order = comparePositions({ height, round, step: signStepOf(kind) }, last);
    const same = order === 0 && last !== undefined && sameBytes(last.signedBytes, signedBytes);
    return order > 0 || (order === 0 && !same);
  }

  /** Whether a final header that names this key among the precommits of a round names a signature that the record lacks. */
  lacksPrecommit(height: Height, round: Round): boolean {
    if (height <= this.#pastThrough) return false;
    return comparePositions({ height, round, step: signStepOf('precommit') }, this.#state.last) > 0;
  }

  /**
   * Another process has the key: it stops for good. Memory is updated first, so that a failing disk does not let it
   * continue.
   */
  stop(): void {
    if (this.#state.stopped) return;
    this.#state = { ...this.#state, stopped: true };
    this.#store(this.#state);
  }

  #store(state: SignState): void {
    this.#hasFailed = true;
    store(this.#ports.storage, state);
    this.#state = state;
    this.#hasFailed = false;
  }

  close(): void {
    this.#ports.lock.release();
  }
}
