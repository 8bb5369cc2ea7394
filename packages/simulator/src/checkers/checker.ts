/**
 * An invariant watched while a world runs. Checkers see the truth (who signed what, what is wrong
 * with a cut), which nodes do not; they report through `world.fail` and change nothing.
 */
import type {
  CommitCertificate,
  Conflict,
  Effect,
  FinalityState,
  Input,
  SignedMessage,
  StepResult,
  WireMessage,
} from 'svc-finality';
import type { Node } from '../node/node.ts';
import type { Cut } from '../world/cut.ts';
import type { World } from '../world/world.ts';

export interface Checker {
  /** After an honest node signed, before the message leaves. */
  readonly onSigned?: (world: World, node: Node, message: SignedMessage) => void;
  readonly onDecision?: (
    world: World,
    node: Node,
    cut: Cut,
    certificate: CommitCertificate,
  ) => void;
  readonly onConflict?: (world: World, node: Node, conflict: Conflict) => void;
  readonly onStep?: (
    world: World,
    node: Node,
    before: FinalityState,
    input: Input,
    result: StepResult,
  ) => void;
  /** When an honest node looks at a message, before it decides whether it wants it. */
  readonly onHeard?: (world: World, node: Node, message: WireMessage) => void;
  /** Before an honest node executes an effect. */
  readonly onEffect?: (world: World, node: Node, effect: Effect) => void;
  /** After an honest node has synced its log. */
  readonly onSync?: (world: World, node: Node) => void;
  /** An honest node has lost what was not synced, or its whole disk. */
  readonly onLoss?: (world: World, node: Node, isWhole: boolean) => void;
  /** Whether what has to happen in the end has happened. */
  readonly isSettled?: (world: World) => boolean;
  readonly atEnd?: (world: World) => void;
}
