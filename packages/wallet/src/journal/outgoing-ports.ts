/**
 * What the parts that carry out requests are given to work with.
 */
import type { Clock, Log } from 'svc-base/pure';
import type { History } from '../scan/history.ts';
import type { PaymentTurns } from '../spend/payment-turns.ts';
import type { State } from '../state/open-state.ts';
import type { Reached } from './crash-points.ts';
import type { Mismatches } from './mismatches.ts';
import type { Make } from './record.ts';
import type { Sender } from './sender.ts';

export interface OutgoingPorts {
  readonly state: State;
  readonly turns: PaymentTurns;
  readonly sender: Sender;
  readonly history: Pick<History, 'contradiction'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly reached: Reached;
  readonly mismatches: Pick<Mismatches, 'tell'>;
  /** Brings what was committed to the disk, in the journal copy too, before it returns. */
  syncCopy(): void;
  /** Whether the token of this name was revoked. */
  isRevoked(caller: string): boolean;
  /** How the transactions of a request are made; the parameters may come from the record. */
  makerOf(method: string, params: unknown): Make;
  /** Whether the method makes one transaction, with coins that it chooses itself: such requests are made together. */
  isPayment(method: string): boolean;
}
