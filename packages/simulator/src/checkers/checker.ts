/**
 * An invariant watched while a world runs. Checkers see the truth (who signed what, what is wrong
 * with a cut), which nodes do not; they report through `world.fail` and change nothing.
 */
import type {
  CommitCertificate,
  Conflict,
  FinalityState,
  Input,
  SignedMessage,
  StepResult,
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
  readonly atEnd?: (world: World) => void;
}
