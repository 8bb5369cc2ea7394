/**
 * Misbehaviour that a development network can be told to show. On every other network a driver with faults does
 * not start.
 */
import type { SignedMessage } from 'svc-finality';

export interface DriverFaults {
  /** Whether the validator neither hears, signs nor speaks at a height. */
  readonly isAbsent?: (height: number) => boolean;
  /** Further messages that leave after one that the signer has signed. */
  readonly afterSigning?: (message: SignedMessage) => readonly SignedMessage[];
}
