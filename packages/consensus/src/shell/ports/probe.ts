/**
 * Observes a validator at work: for simulations and tests. An exception of a probe stops the validator there.
 */
import type {
  Effect,
  FinalityState,
  Input,
  SignedMessage,
  StepResult,
} from 'svc-consensus/machine';

export interface ValidatorProbe {
  /** After the machine has made a step, before its effects are executed. */
  readonly onStep?: (before: FinalityState, input: Input, result: StepResult) => void;
  /** Before an effect is executed. */
  readonly onEffect?: (effect: Effect) => void;
  /** After the signer has signed, before the message leaves. */
  readonly onSigned?: (message: SignedMessage) => void;
}
