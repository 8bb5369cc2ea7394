/**
 * What a node says of its validator: in its status, in its log and in its metrics.
 */
import type { Removal, ValidatorStatusDocument } from 'svc-api';
import type { Log } from 'svc-base/pure';
import { holderOf, type SeatKey } from 'svc-consensus/shell';
import {
  ATTENDANCE_WINDOWS,
  type Attendance,
  attendanceWindowOf,
  epochOf,
  type Liveness,
  livenessOf,
  SINGLE_KEY,
  type ValidatorRecord,
  windowsPresent,
} from 'svc-ledger';
import { removalOf } from 'svc-serve';
import type { Chain } from 'svc-serve/ports';
import type { ValidatorFacts } from '../log/status-line.ts';
import type { RemovalFigures, ValidatorFigures } from '../metrics/node-metrics.ts';

/**
 * Removed validators, read from the state of the chain: figures for metrics, and a message for the operator of one.
 */
export function removalMessage({ height, reason }: Removal): string {
  return `this validator was removed for ${reason} at height ${height}: its bond is burned, and it never has a seat again`;
}

export class RemovalReport {
  readonly #chain: Pick<Chain, 'head' | 'parameters' | 'view'>;
  /** Of the head: the answer reads all validators. */
  #last: { readonly height: number; readonly figures: RemovalFigures } | undefined;

  constructor(chain: Pick<Chain, 'head' | 'parameters' | 'view'>) {
    this.#chain = chain;
  }

  get figures(): RemovalFigures {
    const { height } = this.#chain.head;
    if (this.#last?.height !== height) this.#last = { height, figures: this.#read(height) };
    return this.#last.figures;
  }

  #read(height: number): RemovalFigures {
    const { view, parameters } = this.#chain;
    const { interval } = parameters;
    const removed = new Map<string, number>();
    for (const id of view.validatorIds()) {
      const validator = view.get('validators', id);
      if (validator?.status === 'removed') removed.set(id, validator.removedHeight);
    }
    const epochMin = epochOf(height + 1, interval) - 1;
    const recent = [...removed.values()].filter((at) => epochOf(at, interval) >= epochMin).length;
    const members = view.get('epoch', SINGLE_KEY)?.members ?? [];
    const stakeOf = (some: typeof members): bigint =>
      some.reduce((sum, { stake }) => sum + stake, 0n);
    const removedStake = stakeOf(members.filter(({ validatorId }) => removed.has(validatorId)));
    const stake = stakeOf(members);
    return { recent, committeeShare: stake === 0n ? 0 : Number(removedStake) / Number(stake) };
  }
}

/** What is asked of a running validator. */
export interface ReportedValidator {
  readonly key: Pick<SeatKey, 'keyHash'>;
  readonly driver: {
    readonly status: {
      readonly signing: ValidatorStatusDocument['state'];
      readonly lastSignedHeight: ValidatorStatusDocument['last_signed_height'];
    };
  };
  /** Null if heartbeats are sent by hand. */
  readonly heartbeats: {
    readonly state: ValidatorFacts['heartbeat'];
    readonly heartbeatsLeft: number | null;
  } | null;
}

type Standing = Liveness | 'committee' | 'unknown';

const WORDS: Readonly<Record<Standing, string>> = {
  committee: 'this validator has a seat in the committee',
  live: 'this validator is live and has no seat in this epoch',
  registered: 'this validator is registered and not eligible yet',
  jailed: 'this validator is jailed: it missed more than three attendance windows of an epoch',
  lapsed: 'this validator has lapsed: no heartbeat of it was final for two epochs',
  exited: 'this validator has exited',
  removed: 'this validator was removed',
  unknown: 'no validator holds the consensus key',
};

const LEVELS: Readonly<Partial<Record<Standing, 'warn' | 'error'>>> = {
  jailed: 'warn',
  lapsed: 'warn',
  removed: 'error',
};

export class ValidatorReport {
  readonly #chain: Chain;
  readonly #validator: ReportedValidator;
  readonly #log: Log;
  #told: Standing | undefined;
  /** Looked up once for each head: the answer asks for all validators. */
  #holder: { readonly height: number; readonly id: string | null } | undefined;

  /** Tells the log of every change of the validator's standing. */
  constructor(chain: Chain, validator: ReportedValidator, log: Log) {
    this.#chain = chain;
    this.#validator = validator;
    this.#log = log;
    this.#tellStanding();
    chain.finalized.on(() => this.#tellStanding());
  }

  /** The validator's part of the status document; null while the key belongs to no validator. */
  get document(): ValidatorStatusDocument | null {
    const { signing, lastSignedHeight } = this.#validator.driver.status;
    const validatorId = this.#validatorId;
    const standing = this.#standing;
    if (validatorId === null) return null;
    return {
      validator_id: validatorId,
      state: standing === 'committee' || standing === 'live' ? signing : standing,
      committee: this.#attendance !== undefined,
      last_signed_height: lastSignedHeight,
      ...(this.#removal === null ? {} : { removal: this.#removal }),
    };
  }

  get facts(): ValidatorFacts {
    return {
      signedWindows: this.#signedWindows,
      windows: ATTENDANCE_WINDOWS,
      heartbeatEpoch: this.#record?.heartbeatEpoch ?? null,
      heartbeat: this.#validator.heartbeats?.state ?? 'off',
    };
  }

  get figures(): ValidatorFigures {
    const { heartbeatEpoch, registeredEpoch } = this.#record ?? {};
    const epoch = this.#epoch;
    return {
      signedWindows: this.#signedWindows,
      missedWindows: this.#missedWindows,
      heartbeatAgeEpochs: epoch - (heartbeatEpoch ?? registeredEpoch ?? epoch),
      heartbeatsLeft: this.#validator.heartbeats?.heartbeatsLeft ?? null,
      isInCommittee: this.#attendance !== undefined,
      isJailed: this.#standing === 'jailed',
      isLapsed: this.#standing === 'lapsed',
    };
  }

  get #epoch(): number {
    const { head, parameters } = this.#chain;
    return epochOf(head.height + 1, parameters.interval);
  }

  /** A member keeps its seat until the epoch ends, whatever becomes of it. */
  get #standing(): Standing {
    const record = this.#record;
    if (record === undefined) return 'unknown';
    const liveness = livenessOf(record, this.#epoch);
    return liveness === 'live' && this.#attendance !== undefined ? 'committee' : liveness;
  }

  #tellStanding(): void {
    const standing = this.#standing;
    if (standing === this.#told) return;
    this.#told = standing;
    const { jailedUntilEpoch = 0 } = this.#record ?? {};
    const removal = this.#removal;
    const fields = {
      epoch: this.#epoch,
      standing,
      ...(standing === 'jailed' ? { jailed_until_epoch: jailedUntilEpoch } : {}),
      ...removal,
    };
    const message = removal === null ? WORDS[standing] : removalMessage(removal);
    this.#log[LEVELS[standing] ?? 'info'](fields, message);
  }

  get #signedWindows(): number {
    return this.#attendance === undefined ? 0 : windowsPresent(this.#attendance);
  }

  /** Windows of this epoch that ended without a signature of this validator. */
  get #missedWindows(): number {
    const attendance = this.#attendance;
    if (attendance === undefined) return 0;
    const { head, parameters } = this.#chain;
    const ended = attendanceWindowOf(head.height + 1, parameters.interval);
    const signed = windowsPresent({
      ...attendance,
      windows: attendance.windows & ((1 << ended) - 1),
    });
    return ended - signed;
  }

  /** The validator that holds the key, with or without a seat. */
  get #validatorId(): string | null {
    const { view, head } = this.#chain;
    if (this.#holder?.height !== head.height)
      this.#holder = { height: head.height, id: holderOf(view, this.#validator.key) };
    return this.#holder.id;
  }

  get #record(): ValidatorRecord | undefined {
    const validatorId = this.#validatorId;
    return validatorId === null ? undefined : this.#chain.view.get('validators', validatorId);
  }

  /** How it was removed, if it was. */
  get #removal(): Removal | null {
    const record = this.#record;
    return record === undefined ? null : removalOf(record);
  }

  /** The attendance of this validator if it is a member of the committee. */
  get #attendance(): Attendance | undefined {
    const validatorId = this.#validatorId;
    const epoch = this.#chain.view.get('epoch', SINGLE_KEY);
    const place = epoch?.members.findIndex((member) => member.validatorId === validatorId) ?? -1;
    return epoch?.attendance[place];
  }
}
