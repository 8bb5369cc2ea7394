/**
 * What follows from decided cuts: pace, attendance, accepted evidence, the next height's context.
 */
import {
  type Attendance,
  type EvidencePorts,
  eligibleProposers,
  isBitSet,
  paceAfter,
  proposerOrder,
  startAt,
  startAttendance,
} from 'svc-consensus/machine';
import type { NextHeight } from 'svc-consensus/shell';
import type { Plan } from '../plan/plan.ts';
import type { Committees, Seat } from './committees.ts';
import {
  type ChainState,
  type Cut,
  type Epoch,
  type EpochRules,
  epochOf,
  epochStartOf,
  GENESIS_ID,
} from './cut.ts';
import { type Keyring, signedBytesOf } from './keyring.ts';
import type { Protocol } from './protocol.ts';

type SharedContext = NextHeight;

export class Chain {
  readonly genesis: ChainState;
  readonly #evidencePorts: Omit<EvidencePorts, 'validatorAt'>;
  readonly #protocol: Protocol;
  readonly #rules: EpochRules;
  readonly #committees: Committees;
  readonly #after = new Map<string, ChainState>();
  readonly #contexts = new Map<string, SharedContext>();

  constructor(plan: Plan, protocol: Protocol, keyring: Keyring, committees: Committees) {
    this.#protocol = protocol;
    this.#rules = plan.epochs;
    this.#committees = committees;
    this.genesis = {
      height: 0 as never,
      cutId: GENESIS_ID,
      timeMs: 0n,
      pace: { baseMs: 0n },
      register: new Map(),
      attendance: this.#startAttendance(0),
      epoch: 0,
      signers: [],
    };
    this.#evidencePorts = {
      interval: plan.epochs.cuts,
      signedBytes: signedBytesOf,
      verify: (message) => keyring.verify(message, message.signature),
    };
  }

  /** What evidence in a cut is judged by. */
  evidencePortsIn(cutHeight: number): EvidencePorts {
    const { judgedAt } = this.#protocol;
    return {
      ...this.#evidencePorts,
      validatorAt: (height, seat) => {
        const validator = this.validatorAt(judgedAt(height, cutHeight), seat);
        return validator === undefined ? undefined : offenderName(validator);
      },
    };
  }

  /** The committee of a height as nodes see it; undefined where it is not elected yet. */
  epochAt(height: number, of: typeof epochOf = this.#protocol.epochOf): Epoch | undefined {
    return this.#committees.at(of(this.#rules, Math.max(1, height)));
  }

  /** The committee that truly decides a height, whatever a mutant believes. */
  trueEpoch(height: number): Epoch {
    const epoch = this.epochAt(height, epochOf);
    if (epoch === undefined) throw new Error(`no set is elected for height ${height}`);
    return epoch;
  }

  /** The committee of an epoch that is known. */
  electedFor(epoch: number): Epoch {
    return this.trueEpoch(epochStartOf(this.#rules, epoch));
  }

  /** Who really sits on a seat at a height. */
  validatorAt(height: number, seat: Seat): number | undefined {
    return this.epochAt(height, epochOf)?.holders[seat];
  }

  /** Where a validator sits at a height, as nodes see it. */
  seatOf(height: number, validator: number): Seat | undefined {
    return this.epochAt(height)?.seats.get(validator);
  }

  #startAttendance(epoch: number): Attendance {
    const start = epochStartOf(this.#rules, epoch);
    const members = this.trueEpoch(start).holders.length;
    return startAttendance(this.#rules.attendance, start, members);
  }

  after(before: ChainState, cut: Cut): ChainState {
    const known = this.#after.get(cut.id);
    if (known !== undefined) return known;
    const { rules, creditSigners, acceptEvidence } = this.#protocol;
    const epoch = epochOf(this.#rules, cut.height);
    const fresh = epoch !== before.epoch;
    const isFirst = cut.height === epochStartOf(this.#rules, epoch);
    const attendance = fresh ? this.#startAttendance(epoch) : before.attendance;
    let { register } = before;
    for (const evidence of cut.evidence) {
      const outcome = acceptEvidence(
        register,
        evidence,
        cut.height,
        this.evidencePortsIn(cut.height),
      );
      if (outcome.type === 'accepted') register = outcome.register;
    }
    const state: ChainState = {
      height: cut.height,
      cutId: cut.id,
      timeMs: cut.timeMs,
      pace: paceAfter(rules.timing, before.pace, cut.height, cut.timeMs),
      register,
      attendance: creditSigners(
        this.#rules.attendance,
        attendance,
        cut.height,
        cut.previousSigners,
      ),
      epoch,
      signers: isFirst ? [] : [...before.signers, cut.previousSigners],
    };
    this.#after.set(cut.id, state);
    return state;
  }

  /** What all know about the height after `state`. */
  contextAfter(state: ChainState): SharedContext {
    const known = this.#contexts.get(state.cutId);
    if (known !== undefined) return known;
    const height = (state.height + 1) as SharedContext['height'];
    const { set, table, validators } = this.epochAt(height) ?? this.trueEpoch(height);
    const isSameEpoch = epochOf(this.#rules, height) === state.epoch;
    const claims = isSameEpoch ? state.signers.slice(0, -1) : [];
    const eligible = eligibleProposers(set, claims, this.#rules.eligibilityCuts);
    const cutOfEpoch = (height - 1) % this.#rules.cuts;
    const context: SharedContext = {
      height,
      set,
      validators,
      epoch: this.#protocol.epochOf(this.#rules, height),
      proposers: proposerOrder(table, cutOfEpoch, (index) => isBitSet(eligible, index)),
      startAtMs: startAt(this.#protocol.rules.timing, state.pace, height, state.timeMs),
    };
    this.#contexts.set(state.cutId, context);
    return context;
  }
}

/** How a validator is called where offences are registered. */
export function offenderName(validator: number): string {
  return `validator ${validator}`;
}
