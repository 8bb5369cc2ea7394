/**
 * What the simulated world is for the processes in it: time, network, disk trouble and the watch that is kept over
 * them. A validator and the chain beneath it know the world by these ports alone.
 */
import type {
  Conflict,
  CutId,
  Effect,
  FinalityState,
  Input,
  SignatureVerdict,
  SignedMessage,
  StepResult,
  WireMessage,
} from 'svc-consensus/machine';
import type { Plan } from '../plan/plan.ts';
import type { Chain } from './chain.ts';
import type { Cut } from './cut.ts';
import type { Decision } from './disk.ts';
import type { Keyring } from './keyring.ts';
import type { Network } from './network.ts';
import type { KeyringChecks, PacketCodec } from './packet.ts';
import type { Protocol } from './protocol.ts';

/** The part that the chain beneath a validator uses. */
export interface ChainSurroundings {
  readonly plan: Plan;
  readonly protocol: Protocol;
  readonly chain: Chain;
  /** Every cut that anybody made. */
  readonly cuts: Map<CutId, Cut>;
  nextCutId(index: number): CutId;
  indexOf(validatorId: string): number | undefined;
  /** Ends the simulation without a verdict: the faults are more than anything is promised for. */
  abandon(why: string): void;
  /** Ends the simulation: a rule was broken. */
  fail(checker: string, detail: string): void;
}

/** `Validator` is the class of the processes, `Application` that of the chains beneath them. */
export interface Surroundings<Validator, Application> extends ChainSurroundings {
  readonly level: {
    readonly applicationOf: (node: Validator) => Application;
    /** Where the chain elects them. */
    readonly committees?: unknown;
  };
  readonly keyring: Keyring;
  readonly codec: PacketCodec;
  readonly checks: KeyringChecks;
  /** Where the plan lets them, liars have the wires too. */
  readonly network: Pick<Network, 'cutOff'>;
  readonly now: number;
  idOf(index: number): string;
  peersOf(index: number): number[];
  /** Those that the node has a connection with. */
  neighboursOf(index: number): string[];
  send(sender: Validator, to: number, message: WireMessage, from: number): void;
  /** Calls in the same life of a node; returns a function that cancels the call. */
  callLater(node: Validator, life: number, delayMs: number, call: () => void): () => void;
  /** Fetches what ordinary peers have decided, now and then, for a node that was behind when it started. */
  syncLater(node: Validator): void;
  scheduleRestart(node: Validator): void;
  crashesNow(): boolean;
  /** How long a sync takes; it may fail, and then the process ends. */
  syncDelay(): number;
  applicationDelay(): number;
  /** Ends the simulation with an error that no part of it expects. */
  rethrow(error: unknown): void;
  observeStep(node: Validator, before: FinalityState, input: Input, result: StepResult): void;
  observeReceived(node: Validator, from: number, via: number, message: WireMessage): void;
  observeHeard(node: Validator, message: WireMessage): void;
  observeEffect(node: Validator, effect: Effect): void;
  observeChecked(
    node: Validator,
    messages: readonly WireMessage[],
    verdicts: readonly SignatureVerdict[],
  ): void;
  observeSync(node: Validator): void;
  observeLoss(node: Validator, isWhole: boolean): void;
  observeSigned(node: Validator, message: SignedMessage): void;
  observeDecision(node: Validator, cut: Cut, certificate: Decision['certificate']): void;
  observeEvidence(node: Validator, conflict: Conflict): void;
}
