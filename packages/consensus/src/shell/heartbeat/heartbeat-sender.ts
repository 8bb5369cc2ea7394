/**
 * Sends the heartbeat of a validator, one in each epoch. It is submitted like any other transaction, and again if it
 * got lost. If it cannot be made or paid for, the operator is warned and it is tried later.
 */
import type { Log, LogFields } from 'svc-base/pure';
import { epochEnd, keyAddress, type StateView } from 'svc-ledger';
import type { SeatKey } from '../options.ts';
import type {
  FeeCoin,
  HeartbeatChain,
  HeartbeatMempool,
  HeartbeatRecord,
  HeartbeatStore,
} from '../ports/heartbeat.ts';
import type { ValidatorKey } from '../validator-key.ts';
import { addressText, makeHeartbeat } from './heartbeat-transaction.ts';

export interface HeartbeatOptions {
  readonly chain: HeartbeatChain;
  readonly mempool: HeartbeatMempool;
  /** The validator that holds the key if null; it need not be registered yet. */
  readonly validatorId: string | null;
  /** The consensus keys that are there, two of them during a rotation; the one active on the chain signs. */
  readonly keys: () => readonly SeatKey[];
  readonly feeKey: ValidatorKey;
  readonly maxFeeAtoms: bigint;
  /** The minimum of the network if null. */
  readonly feeRatePerMass: bigint | null;
  readonly store: HeartbeatStore;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

/** `ok`: final in this epoch. `due`: it is on its way or will be sent. `failed`: the log says why. */
export type HeartbeatState = 'ok' | 'due' | 'failed';

/** A heartbeat that cannot be executed in its epoch any more is not sent: it needs three cuts at least. */
const CUTS_LEFT_MIN = 3;
/** How many times in an epoch a failure is retried. */
const TRIES_PER_EPOCH = 48;

export class HeartbeatSender {
  readonly #options: HeartbeatOptions;
  readonly #stopFollowing: () => void;
  #validatorId: string | null;
  #record: HeartbeatRecord | undefined;
  #state: HeartbeatState = 'due';
  #heartbeatsLeft: number | null = null;
  #nextTry = 0;
  #told = '';
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#validatorId = options.validatorId;
    this.#record = options.store.read();
    this.#stopFollowing = options.chain.finalized.on(() => this.#consider());
    this.#consider();
  }

  get state(): HeartbeatState {
    return this.#state;
  }

  /** How many heartbeats at the configured cap the fee address can pay; null if it was not looked at yet. */
  get heartbeatsLeft(): number | null {
    return this.#heartbeatsLeft;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopFollowing();
    await this.#working;
  }

  get #epoch(): number {
    const { chain } = this.#options;
    return Math.floor(chain.head.height / chain.parameters.interval);
  }

  #consider(): void {
    const { chain, keys } = this.#options;
    if (this.#isClosed || this.#working !== undefined) return;
    this.#validatorId ??= firstHolder(chain.view, keys());
    const validator =
      this.#validatorId === null ? undefined : chain.view.get('validators', this.#validatorId);
    if (validator?.heartbeatEpoch === this.#epoch) {
      this.#state = 'ok';
      this.#nextTry = 0;
      return;
    }
    const { height } = chain.head;
    if (this.#state === 'ok') this.#state = 'due';
    const end = epochEnd(this.#epoch, chain.parameters.interval);
    if (height < this.#nextTry || end - height < CUTS_LEFT_MIN) return;
    if (validator?.status !== 'active') this.#fail('no such active validator is registered');
    else {
      const { keyHash } = validator.consensusKey;
      const key = keys().find((one) => one.keyHash === keyHash);
      if (key === undefined)
        this.#fail('the consensus key here is not the active key of the validator');
      else this.#send(this.#validatorId as string, key);
    }
  }

  #send(validatorId: string, key: SeatKey): void {
    this.#tryLater();
    this.#working = this.#sendNow(validatorId, key)
      .catch(this.#options.onFatal)
      .finally(() => {
        this.#working = undefined;
      });
  }

  async #sendNow(validatorId: string, key: SeatKey): Promise<void> {
    const record = this.#record;
    if (record?.epoch === this.#epoch) await this.#submit(record);
    else await this.#sendNew(validatorId, key);
  }

  async #sendNew(validatorId: string, key: SeatKey): Promise<void> {
    const { chain, feeKey, maxFeeAtoms } = this.#options;
    const { manifest, view, head, parameters } = chain;
    const epoch = this.#epoch;
    const end = epochEnd(epoch, parameters.interval);
    const made = await makeHeartbeat(
      {
        validatorId,
        epoch,
        key,
        feeKey,
        maxFeeAtoms,
        validFrom: head.height,
        validUntil: Math.min(end, head.height + Number(manifest.rules.max_validity_cuts)),
        feeRatePerMass: this.#options.feeRatePerMass ?? manifest.rules.min_fee_per_mass,
        coins: await this.#coins(),
      },
      manifest,
      view,
    );
    if (made.type === 'unfunded') {
      this.#state = 'failed';
      const fee_address = addressText(feeKey, manifest);
      this.#warn({ fee_address, epoch }, 'cannot fund validator heartbeat');
    } else if (made.type === 'too_dear') {
      this.#state = 'failed';
      const fields = { fee: made.fee, max_fee_atoms: maxFeeAtoms, epoch };
      this.#warn(fields, 'validator heartbeat exceeds configured fee cap');
    } else if (made.type === 'unsigned') this.#fail('the signer of the consensus key did not sign');
    else await this.#keepAndSubmit(epoch, made.wire);
  }

  async #keepAndSubmit(epoch: number, wire: Uint8Array): Promise<void> {
    const transactionId = this.#options.chain.transactions.decode(wire).id;
    this.#record = { epoch, transactionId, wire };
    this.#options.store.write(this.#record);
    await this.#submit(this.#record);
  }

  async #submit({ epoch, transactionId, wire }: HeartbeatRecord): Promise<void> {
    const { mempool, log } = this.#options;
    if (this.#isClosed || mempool.get(transactionId) !== undefined) return;
    const admission = await mempool.submit(wire, 'own');
    if (admission.type !== 'refused') {
      this.#state = 'due';
      log.info({ epoch, transaction_id: transactionId }, 'sent a validator heartbeat');
      return;
    }
    this.#state = 'failed';
    const { code, message } = admission;
    this.#warn({ epoch, code, reason: message }, 'a validator heartbeat was refused');
    this.#record = undefined;
  }

  async #coins(): Promise<FeeCoin[]> {
    const { chain, mempool, feeKey, maxFeeAtoms } = this.#options;
    const coins = await chain.coinsOf(keyAddress(feeKey.keyHash));
    const free = coins.filter(({ outpoint }) => mempool.spenderOf(outpoint) === undefined);
    const sum = free.reduce((total, { amount }) => total + amount, 0n);
    this.#heartbeatsLeft = Number(sum / (maxFeeAtoms > 0n ? maxFeeAtoms : 1n));
    return free.sort((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1));
  }

  #fail(reason: string): void {
    const validator = this.#validatorId ?? 'none yet';
    this.#tryLater();
    this.#state = 'failed';
    this.#warn({ validator, epoch: this.#epoch, reason }, 'no validator heartbeat can be sent');
  }

  /** Warns once in an epoch about the same trouble. */
  #warn(fields: LogFields, message: string): void {
    const trouble = `${this.#epoch} ${message} ${fields['reason'] ?? ''}`;
    if (trouble === this.#told) return;
    this.#told = trouble;
    this.#options.log.warn(fields, message);
  }

  #tryLater(): void {
    const { chain } = this.#options;
    const pause = Math.max(1, Math.floor(chain.parameters.interval / TRIES_PER_EPOCH));
    this.#nextTry = chain.head.height + pause;
  }
}

function firstHolder(view: StateView, keys: readonly SeatKey[]): string | null {
  for (const key of keys) {
    const id = holderOf(view, key);
    if (id !== null) return id;
  }
  return null;
}

/** Whether the chain knew the key and has replaced it: no validator holds it, and none can hold it again. */
export function isReplaced(view: StateView, key: Pick<SeatKey, 'keyHash'>): boolean {
  return view.get('keys', key.keyHash) !== undefined && holderOf(view, key) === null;
}

/** The validator whose active or pending key this is. */
export function holderOf(view: StateView, { keyHash }: Pick<SeatKey, 'keyHash'>): string | null {
  const holds = (id: string): boolean => {
    const validator = view.get('validators', id);
    if (validator === undefined) return false;
    const { consensusKey, pendingKey } = validator;
    return consensusKey.keyHash === keyHash || pendingKey?.value.keyHash === keyHash;
  };
  return view.validatorIds().find(holds) ?? null;
}
