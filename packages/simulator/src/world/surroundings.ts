/**
 * What the simulated world is for the processes in it: time, network, disk trouble and the watch that is kept over
 * them. A validator and the chain beneath it know the world by these ports alone.
 */
import type {
  CommitCertificate,
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
import type { Digest } from '../base/digest.ts';
import type { Plan } from '../plan/plan.ts';
import type { Chain } from './chain.ts';
import type { Cut } from './cut.ts';
import type { Keyring } from './keyring.ts';
import type { Network } from './network.ts';
import type { KeyringChecks, PacketCodec } from './packet.ts';
import type { Protocol } from './protocol.ts';

/** The part that the chain beneath a validator uses. */
export interface ChainSurroundings {
  readonly plan: Plan;
  readonly protocol: Protocol;
  readonly chain: Chain;
  /** Every cut that was made. */
  readonly cuts: Map<CutId, Cut>;
  nextCutId(index: number): CutId;
  indexOf(validatorId: string): number | undefined;
  /** Ends the simulation without a verdict: the faults are more than anything is promised for. */
  abandon(why: string): void;
  /** Ends the simulation: a rule was broken. */
  fail(checker: string, detail: string): void;
}

export interface Received {
  readonly from: number;
  readonly via: number;
  readonly message: WireMessage;
}

/** What is seen of honest processes, by the hook of the checkers that look at it. */
export interface Seen {
  /** Signed, before the message leaves. */
  onSigned: [message: SignedMessage];
  onDecision: [cut: Cut, certificate: CommitCertificate];
  onConflict: [conflict: Conflict];
  onStep: [before: FinalityState, input: Input, result: StepResult];
  /** Reached the process; where processes have turns. */
  onReceived: [received: Received];
  /** Looked at, before the process decides whether it wants the message; where there are liars. */
  onHeard: [message: WireMessage];
  /** Signatures that were checked. */
  onChecked: [messages: readonly WireMessage[], verdicts: readonly SignatureVerdict[]];
  /** About to be executed; where there are liars. */
  onEffect: [effect: Effect];
  /** The log was synced. */
  onSync: [];
  /** What was not synced is lost, or the whole disk. */
  onLoss: [isWhole: boolean];
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
  readonly digest: Digest;
  readonly now: number;
  /** When the faults ended; undefined before. */
  readonly healedAtMs: number | undefined;
  readonly nodes: readonly Validator[];
  /** The nodes that have to follow every rule and to decide in the end. */
  readonly honest: readonly Validator[];
  idOf(index: number): string;
  peersOf(index: number): number[];
  /** Those that the node has a connection with. */
  neighboursOf(index: number): string[];
  send(sender: Validator, to: number, message: WireMessage, from: number): void;
  /** Calls in the same life of a node; returns a function that cancels the call. */
  callLater(node: Validator, life: number, delayMs: number, call: () => void): () => void;
  /** Something that an operator does after a while. */
  mishapLater(delayMs: number, call: () => void): void;
  /** The most decided heights that an honest process elsewhere can show. */
  shownHeight(index: number): number;
  /** Fetches what ordinary peers have decided, now and then, for a node that was behind when it started. */
  syncLater(node: Validator): void;
  scheduleRestart(node: Validator): void;
  crashesNow(): boolean;
  /** How long a sync takes; it may fail, and then the process ends. */
  syncDelay(): number;
  applicationDelay(): number;
  /** Ends the simulation with an error that no part of it expects. */
  rethrow(error: unknown): void;
  /** Shows the checkers what an honest process does. */
  observe<Name extends keyof Seen>(name: Name, node: Validator, ...seen: Seen[Name]): void;
  observeSigned(node: Validator, message: SignedMessage): void;
  observeDecision(node: Validator, cut: Cut, certificate: CommitCertificate): void;
}
