/**
 * What all parts of a running validator share: its ports and rules, its machine, its place in the committee,
 * whether it is muted, and its failure handler. Each part gets this object, which knows none of them.
 */
import type {
  FinalityState,
  Input,
  Rules,
  Signer,
  SignResult,
  UnsignedMessage,
} from 'svc-consensus/machine';
import { initialState, signStepOf } from 'svc-consensus/machine';
import { toHex } from 'svc-wasm/base';
import type { ValidatorSet } from 'svc-wasm/protocol';
import { type Later, whenReady } from './base/later.ts';
import { HeightTimers } from './heights/height-timers.ts';
import { MachineLoop } from './machine/machine-loop.ts';
import type { ValidatorPorts } from './options.ts';
import type { HeightRecords } from './ports/files.ts';
import { HeightHistory } from './report/height-history.ts';
import { contextOf, indexIn, type OpenedValidator, previousOf } from './start/open-validator.ts';
import type { ValidatorRules } from './start/timing.ts';

export interface DriverOptions {
  readonly ports: ValidatorPorts;
  readonly rules: ValidatorRules;
  readonly opened: OpenedValidator;
  readonly signedBytes: (message: UnsignedMessage) => Uint8Array;
}

export class Driver {
  readonly ports: ValidatorPorts;
  readonly rules: ValidatorRules;
  readonly signer: Signer;
  readonly records: HeightRecords;
  readonly signedBytes: (message: UnsignedMessage) => Uint8Array;
  readonly machine: MachineLoop;
  readonly timers: HeightTimers;
  readonly diary = new HeightHistory();
  /** Called when the validator closes, in this order. */
  readonly endings: (() => void)[] = [];
  #members: readonly string[] = [];
  readonly #indexes = new Map<string, number>();
  /** Keys are long, so their index in a set is looked up once. */
  #place: { readonly set: ValidatorSet; readonly index: number | undefined } | undefined;
  /** Whether a muted validator still watches for other uses of its key. */
  isListening = false;
  /** Through this height nothing is signed, because the process has just started. */
  heldThrough = 0;
  #isPaused = false;
  #isClosed = false;

  constructor({ ports, rules, opened, signedBytes }: DriverOptions) {
    const { chain, key, clock } = ports;
    this.ports = ports;
    this.rules = rules;
    this.signer = opened.signer;
    this.records = opened.records;
    this.signedBytes = signedBytes;
    this.timers = new HeightTimers(clock);
    const state = opened.recovered?.state ?? initialState(contextOf(chain, key), previousOf(chain));
    this.machine = new MachineLoop(state, rules satisfies Rules, this.fail);
  }

  get state(): FinalityState {
    return this.machine.state;
  }

  /** The height in progress. */
  get height(): FinalityState['context']['height'] {
    return this.machine.state.context.height;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** A muted validator does not receive, sign or send. */
  get isMuted(): boolean {
    return this.#isPaused || this.ports.faults?.isAbsent?.(this.height) === true;
  }

  /** Ids of the members of the set in progress, by index. */
  get members(): readonly string[] {
    return this.#members;
  }

  input(input: Input): void {
    this.machine.input(input);
  }

  /** Pausing also stops the machine: it would otherwise count votes as cast that were never signed. */
  pause(): void {
    this.#isPaused = true;
    this.machine.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.machine.unpause();
  }

  setMembers({ validators }: ValidatorSet): void {
    this.#members = validators.map(({ id }) => toHex(id));
    this.#indexes.clear();
    for (const [index, id] of this.#members.entries()) this.#indexes.set(id, index);
  }

  /** The index of a validator in the current set. */
  indexOf(validatorId: string): number | undefined {
    return this.#indexes.get(validatorId);
  }

  /** This validator's own index in the set of a height. */
  ownIndexAt(height: number): number | undefined {
    const { chain, key } = this.ports;
    const set = chain.setAt(height);
    if (set === undefined) return undefined;
    if (this.#place?.set !== set) this.#place = { set, index: indexIn(set, key) };
    return this.#place.index;
  }

  /** A failure of the record is thrown. */
  sign(message: UnsignedMessage): Later<SignResult> {
    const { kind, height, round } = message;
    const signedBytes = this.signedBytes(message);
    const { remoteSigner } = this.ports;
    if (remoteSigner === undefined) return this.signer.sign(kind, height, round, signedBytes);
    return remoteSigner.sign(message).then((result) => {
      const position = { height, round, step: signStepOf(kind) };
      if (result.type === 'signed')
        this.signer.follow({ ...position, signedBytes }, result.signature);
      return result;
    });
  }

  /** Continues with the answer of a port, unless the validator has closed; a failure of the port is fatal. */
  whenReady<T>(answer: Later<T>, next: (answer: T) => void): void {
    whenReady(
      answer,
      (given) => {
        if (!this.#isClosed) next(given);
      },
      this.fail,
    );
  }

  /** Runs work that answers no request; a failure, as of a disk, is fatal. */
  attempt(call: () => void): void {
    if (this.#isClosed) return;
    try {
      call();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Stops the validator for good. */
  readonly fail = (error: unknown): void => {
    if (this.#isClosed) return;
    this.close();
    this.ports.onFatal(error);
  };

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const end of this.endings) end();
    this.timers.clear();
    this.machine.stop();
    this.records.close();
    this.ports.files.evidence.close();
    this.signer.close();
  }
}
