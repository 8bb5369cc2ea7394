/**
 * What every rule works on during one cut: the state with its changes, the totals, the events so far.
 */
import type { ListRoot } from './commitment/cut-lists.ts';
import type { Commitments } from './commitment/trees.ts';
import type {
  BlockReward,
  Burn,
  CutEvents,
  HistoryEntry,
  KeyRegistration,
  StakePayout,
  TransactionOutcome,
  ValidatorEvent,
} from './cut.ts';
import type { Identifier } from './identifiers.ts';
import type { Overlay } from './overlay.ts';
import type { LedgerParameters } from './parameters.ts';
import type { Label } from './protocol.ts';
import type { EconomyRecord, EpochRecord } from './records.ts';
import type { Signatures } from './transaction.ts';

/** `H(label, parts joined)` as in the protocol document. */
export type Hash = (label: Label, ...parts: readonly Uint8Array[]) => Uint8Array;

export interface LedgerPorts {
  readonly chainId: Identifier;
  readonly parameters: LedgerParameters;
  readonly hash: Hash;
  readonly listRoot: ListRoot;
  readonly signatures: Signatures;
  readonly commitments: Commitments;
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface CutContext {
  readonly chainId: Identifier;
  readonly parameters: LedgerParameters;
  readonly hash: Hash;
  readonly signatures: Signatures;
  readonly state: Overlay;
  readonly height: number;
  readonly epoch: number;
  readonly economy: Mutable<EconomyRecord>;
  epochRecord: EpochRecord;
  /** Outputs that the protocol itself has made in this cut, by kind. */
  readonly payoutCounts: Map<number, number>;
  readonly spent: string[];
  readonly events: CutEventLists;
}

export interface CutEventLists extends CutEvents {
  readonly outcomes: TransactionOutcome[];
  readonly rewards: BlockReward[];
  readonly stakePayouts: StakePayout[];
  readonly burns: Burn[];
  readonly keys: KeyRegistration[];
  readonly history: HistoryEntry[];
  readonly validators: ValidatorEvent[];
}

export function emptyEvents(): CutEventLists {
  return {
    outcomes: [],
    rewards: [],
    stakePayouts: [],
    burns: [],
    keys: [],
    history: [],
    validators: [],
  };
}
