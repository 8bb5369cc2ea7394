/**
 * What a node says of its validator: in its status, in its log and in its metrics.
 */
import type { ValidatorStatusDocument } from 'svc-api';
import {
  ATTENDANCE_WINDOWS,
  type Attendance,
  attendanceWindowOf,
  epochOf,
  SINGLE_KEY,
  type ValidatorRecord,
  windowsPresent,
} from 'svc-ledger';
import type { ValidatorFacts } from '../log/status-line.ts';
import type { ValidatorFigures } from '../metrics/node-metrics.ts';
import type { Chain } from '../ports/chain.ts';

/** What is asked of a running validator. */
export interface ReportedValidator {
  readonly driver: {
    readonly status: {
      readonly validatorId: string | null;
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

export class ValidatorReport {
  readonly #chain: Chain;
  readonly #validator: ReportedValidator;

  constructor(chain: Chain, validator: ReportedValidator) {
    this.#chain = chain;
    this.#validator = validator;
  }

  /** The validator's part of the status document; null while the key belongs to no validator. */
  get document(): ValidatorStatusDocument | null {
    const { validatorId, signing, lastSignedHeight } = this.#validator.driver.status;
    if (validatorId === null) return null;
    return {
      validator_id: validatorId,
      state: signing,
      committee: this.#attendance !== undefined,
      last_signed_height: lastSignedHeight,
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
    const { head, parameters } = this.#chain;
    const { heartbeatEpoch, registeredEpoch } = this.#record ?? {};
    const epoch = epochOf(head.height + 1, parameters.interval);
    return {
      signedWindows: this.#signedWindows,
      missedWindows: this.#missedWindows,
      heartbeatAgeEpochs: epoch - (heartbeatEpoch ?? registeredEpoch ?? epoch),
      heartbeatsLeft: this.#validator.heartbeats?.heartbeatsLeft ?? 0,
    };
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

  get #record(): ValidatorRecord | undefined {
    const { validatorId } = this.#validator.driver.status;
    return validatorId === null ? undefined : this.#chain.view.get('validators', validatorId);
  }

  /** The attendance of this validator if it is a member of the committee. */
  get #attendance(): Attendance | undefined {
    const { validatorId } = this.#validator.driver.status;
    const epoch = this.#chain.view.get('epoch', SINGLE_KEY);
    const place = epoch?.members.findIndex((member) => member.validatorId === validatorId) ?? -1;
    return epoch?.attendance[place];
  }
}
