/**
 * What follows from decided cuts: pace, attendance, accepted evidence, the next height's context.
 */
import type { EvidencePorts } from 'svc-finality';
import {
  createProposerTable,
  createValidatorSet,
  eligibleProposers,
  isBitSet,
  paceAfter,
  proposerOrder,
  startAt,
  startAttendance,
} from 'svc-finality';
import type { NextHeight } from 'svc-validator';
import type { ValidatorSet as SetWithKeys } from 'svc-wasm/protocol';
import type { Plan } from '../plan/plan.ts';
import type { ChainState, Cut, Epoch } from './cut.ts';
import { GENESIS_ID } from './cut.ts';
import type { EpochRules } from './epochs.ts';
import { epochOf, epochStartOf } from './epochs.ts';
import type { Keyring } from './keyring.ts';
import { signedBytesOf } from './keyring.ts';
import type { Protocol } from './protocol.ts';

type SharedContext = NextHeight;

const NO_BYTES = new Uint8Array(0);

/** The id and the key of a validator are its index. */
function keyedValidator(index: number, stake: bigint): SetWithKeys['validators'][number] {
  const name = Uint8Array.of(index);
  return { id: name, publicKey: name, stake };
}

export class Chain {
  readonly genesis: ChainState;
  readonly evidencePorts: EvidencePorts;
  readonly #protocol: Protocol;
  readonly #rules: EpochRules;
  readonly #epochs: readonly Epoch[];
  readonly #after = new Map<string, ChainState>();
  readonly #contexts = new Map<string, SharedContext>();

  constructor(plan: Plan, protocol: Protocol, keyring: Keyring) {
    this.#protocol = protocol;
    this.#rules = plan.epochs;
    this.#epochs = plan.stakes.map((stakes, epoch) => {
      const set = createValidatorSet(`set ${epoch}`, stakes);
      const validators = stakes.map((stake, index) => keyedValidator(index, stake));
      const { totalStake } = set;
      const id = Uint8Array.of(epoch);
      const keyed: SetWithKeys = { id, encoded: NO_BYTES, validators, totalStake };
      return {
        set,
        validators: keyed,
        table: createProposerTable(set, 12 * plan.validators),
      };
    });
    this.genesis = {
      height: 0 as never,
      cutId: GENESIS_ID,
      timeMs: 0n,
      pace: { baseMs: 0n },
      register: new Map(),
      attendance: startAttendance(
        plan.epochs.attendance,
        epochStartOf(plan.epochs, 0),
        plan.validators,
      ),
      epoch: 0,
      signers: [],
    };
    this.evidencePorts = {
      interval: plan.epochs.cuts,
      signedBytes: signedBytesOf,
      validatorAt: (_height, index) => (index < plan.validators ? `validator ${index}` : undefined),
      verify: (message) => keyring.verify(message, message.signature),
    };
  }

  epochAt(height: number, of: typeof epochOf = this.#protocol.epochOf): Epoch {
    return this.#epochs[of(this.#rules, height) % this.#epochs.length] as Epoch;
  }

  /** The set that truly decides a height, whatever a mutant believes. */
  trueSet(height: number): Epoch['set'] {
    return this.epochAt(height, epochOf).set;
  }

  after(before: ChainState, cut: Cut): ChainState {
    const known = this.#after.get(cut.id);
    if (known !== undefined) return known;
    const { rules, creditSigners, acceptEvidence } = this.#protocol;
    const epoch = epochOf(this.#rules, cut.height);
    const fresh = epoch !== before.epoch;
    const isFirst = cut.height === epochStartOf(this.#rules, epoch);
    const attendance = fresh
      ? startAttendance(
          this.#rules.attendance,
          epochStartOf(this.#rules, epoch),
          before.attendance.counts[0]?.length ?? 0,
        )
      : before.attendance;
    let { register } = before;
    for (const evidence of cut.evidence) {
      const outcome = acceptEvidence(register, evidence, cut.height, this.evidencePorts);
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

  /** What everybody knows about the height after `state`. */
  contextAfter(state: ChainState): SharedContext {
    const known = this.#contexts.get(state.cutId);
    if (known !== undefined) return known;
    const height = (state.height + 1) as SharedContext['height'];
    const { set, table, validators } = this.epochAt(height);
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
