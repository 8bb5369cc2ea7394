/**
 * An invariant watched while a world runs. Checkers see the truth (who signed what, what is wrong
 * with a cut), which nodes do not; they report through `world.fail` and change nothing.
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
import type { Node } from '../node/node.ts';
import type { Plan } from '../plan/plan.ts';
import type { Chain } from '../world/chain.ts';
import type { Cut } from '../world/cut.ts';
import type { Keyring } from '../world/keyring.ts';
import type { KeyringChecks } from '../world/packet.ts';
import type { Protocol } from '../world/protocol.ts';

/** What a checker sees of the world. */
export interface WatchedWorld {
  readonly plan: Plan;
  readonly protocol: Protocol;
  readonly keyring: Keyring;
  readonly checks: KeyringChecks;
  readonly chain: Chain;
  readonly digest: Digest;
  /** Every cut that anybody made. */
  readonly cuts: ReadonlyMap<CutId, Cut>;
  readonly nodes: readonly Node[];
  /** The nodes that have to follow every rule and to go on in the end. */
  readonly honest: readonly Node[];
  readonly now: number;
  /** When the faults ended; undefined before. */
  readonly healedAtMs: number | undefined;
  fail(checker: string, detail: string): void;
}

export interface Received {
  readonly from: number;
  readonly via: number;
  readonly message: WireMessage;
}

export interface Checker {
  /** After an honest node signed, before the message leaves. */
  readonly onSigned?: (world: WatchedWorld, node: Node, message: SignedMessage) => void;
  readonly onDecision?: (
    world: WatchedWorld,
    node: Node,
    cut: Cut,
    certificate: CommitCertificate,
  ) => void;
  readonly onConflict?: (world: WatchedWorld, node: Node, conflict: Conflict) => void;
  readonly onStep?: (
    world: WatchedWorld,
    node: Node,
    before: FinalityState,
    input: Input,
    result: StepResult,
  ) => void;
  /** When a message has reached an honest node whose process has turns. */
  readonly onReceived?: (world: WatchedWorld, node: Node, received: Received) => void;
  /** When an honest node looks at a message, before it decides whether it wants it. */
  readonly onHeard?: (world: WatchedWorld, node: Node, message: WireMessage) => void;
  /** After an honest node has checked the signatures of messages. */
  readonly onChecked?: (
    world: WatchedWorld,
    node: Node,
    messages: readonly WireMessage[],
    verdicts: readonly SignatureVerdict[],
  ) => void;
  /** Before an honest node executes an effect. */
  readonly onEffect?: (world: WatchedWorld, node: Node, effect: Effect) => void;
  /** After an honest node has synced its log. */
  readonly onSync?: (world: WatchedWorld, node: Node) => void;
  /** An honest node has lost what was not synced, or its whole disk. */
  readonly onLoss?: (world: WatchedWorld, node: Node, isWhole: boolean) => void;
  /** Whether what has to happen in the end has happened. */
  readonly isSettled?: (world: WatchedWorld) => boolean;
  readonly atEnd?: (world: WatchedWorld) => void;
}

type HookName = Exclude<keyof Checker, 'isSettled' | 'atEnd'>;

/** The hooks of all checkers, by name: a world calls only those that exist. */
export type Watch = { readonly [Name in HookName]: readonly NonNullable<Checker[Name]>[] };

export function watchOf(checkers: readonly Checker[]): Watch {
  const hooksOf = <Name extends HookName>(name: Name): NonNullable<Checker[Name]>[] =>
    checkers.map((checker) => checker[name]).filter((hook) => hook !== undefined);
  return {
    onSigned: hooksOf('onSigned'),
    onDecision: hooksOf('onDecision'),
    onConflict: hooksOf('onConflict'),
    onStep: hooksOf('onStep'),
    onReceived: hooksOf('onReceived'),
    onHeard: hooksOf('onHeard'),
    onChecked: hooksOf('onChecked'),
    onEffect: hooksOf('onEffect'),
    onSync: hooksOf('onSync'),
    onLoss: hooksOf('onLoss'),
  };
}
