/**
 * The records of the state, by table. A record is never changed in place: a rule puts a new one. `commitment/` lists
 * those that the state root commits; the others follow from the roots in every cut header.
 */
import type { Address, Identifier, OutpointKey } from './identifiers.ts';
import type { HistoryPeaks, OutputSource } from './protocol.ts';
import type { EmissionState } from './rules/emission.ts';

export interface OutputRecord {
  readonly address: Address;
  readonly amount: bigint;
  readonly source: OutputSource;
  /** The cut that created it. */
  readonly height: number;
}

/** An output that was spent not long ago, and its spender. */
export interface SpentRecord {
  readonly transactionId: Identifier;
  readonly height: number;
}

/** What was spent in one cut, so that it can be forgotten in time. */
export interface SpentListRecord {
  readonly outpoints: readonly OutpointKey[];
}

export type PositionKind = 'self_bond' | 'delegation';

export interface UnbondingChunk {
  readonly amount: bigint;
  /** The first cut in which it can be withdrawn. */
  readonly releaseHeight: number;
}

/** The bonded amount at the beginning of an epoch in which it then changed. */
export interface StoodRecord {
  readonly epoch: number;
  readonly bonded: bigint;
}

/**
 * A position as it was left by the last operation on it. If its validator was removed since, a tenth of its parts is burned
 * and still written here; `unbondingOf` and `principalHeld` say what is left.
 */
export interface PositionRecord {
  readonly kind: PositionKind;
  readonly validatorId: Identifier;
  readonly ownerAddress: Address;
  readonly rewardAddress: Address;
  /** Counts for the validator while that is active, else unbonds since the validator's end. */
  readonly bonded: bigint;
  readonly unbonding: readonly UnbondingChunk[];
  /** Ascending by epoch; only as far back as the open stake pool asks. */
  readonly stood: readonly StoodRecord[];
}

export type ValidatorStatus = 'active' | 'exited' | 'removed';

export interface PublicKey {
  readonly publicKey: Uint8Array;
  readonly keyHash: Identifier;
}

/** A change announced on chain and the epoch from which it holds. */
export interface Pending<T> {
  readonly value: T;
  readonly epoch: number;
}

/** The record of an exited validator stays while it has positions, that of a removed one for good (ADR 0319). */
export interface ValidatorRecord {
  readonly status: ValidatorStatus;
  readonly ownerAddress: Address;
  readonly selfBondId: Identifier;
  readonly consensusKey: PublicKey;
  readonly pendingKey: Pending<PublicKey> | null;
  readonly endpoint: Uint8Array;
  readonly pendingEndpoint: Pending<Uint8Array> | null;
  readonly commissionBps: number;
  readonly pendingCommission: Pending<number> | null;
  /** All that is bonded to it; nothing once it has left. */
  readonly stake: bigint;
  readonly positionCount: number;
  readonly registeredEpoch: number;
  readonly eligibleFromEpoch: number;
  /** The epoch of its last heartbeat, null before the first. */
  readonly heartbeatEpoch: number | null;
  /** The first epoch after its last jail; 0 if it was never jailed. */
  readonly jailedUntilEpoch: number;
  /** The cut in which it exited or was removed; 0 while it is active. */
  readonly endHeight: number;
  /** The cut in which it was removed; 0 unless it was. Delegations lost a tenth in it. */
  readonly removedHeight: number;
  /** What its removal burned, of its own bond and of delegations; 0 unless it was removed. */
  readonly removalBurned: bigint;
  /** What a removal would burn of the delegations: a tenth of what each has bonded, rounded down for each. */
  readonly slashableBonded: bigint;
  /** The same of every part that unbonds and cannot be withdrawn yet. */
  readonly slashableUnbonding: bigint;
}

/** A public key that the chain has seen: shown by a spend, or held by a validator. */
export interface KeyRecord {
  readonly publicKey: Uint8Array;
}

/** A cut whose registration window is open, and the work half of its subsidy. */
export interface AnchorRecord {
  readonly amount: bigint;
}

/** A registered block whose anchor is open. */
export interface BlockRecord {
  readonly registeredHeight: number;
  readonly payoutAddress: Address;
  /** The work half of the fees it carried. */
  readonly fees: bigint;
}

/** A body that must not be used for a second block, for as long as an anchor can have its parents. */
export interface BodyRecord {
  readonly blockId: Identifier;
}

/**
 * The blocks that a cut registered, in order, to be executed by the next one. It stays as long as
 * they may be named as parents.
 */
export interface RegisteredRecord {
  readonly blocks: readonly {
    readonly id: Identifier;
    readonly anchorHeight: number;
    readonly bodyRoot: Identifier;
  }[];
}

/** The part of delegations that cannot be slashed any more from one cut on, by validator, ascending. */
export interface ReleaseRecord {
  readonly slashable: readonly { readonly validatorId: Identifier; readonly amount: bigint }[];
}

export interface PoolMember {
  readonly validatorId: Identifier;
  readonly selfBondId: Identifier;
  readonly stake: bigint;
  readonly commissionBps: number;
  readonly earned: boolean;
}

/** The stake half of an interval that has ended, while it is being paid out. */
export interface PoolRecord {
  readonly amount: bigint;
  readonly members: readonly PoolMember[];
  readonly paid: bigint;
  /** The progress of the payment: a member, and the last of its delegations that was visited. */
  readonly memberIndex: number;
  readonly afterPositionId: Identifier | null;
  readonly commission: bigint;
}

export interface CommitteeMember {
  readonly validatorId: Identifier;
  readonly publicKey: Uint8Array;
  readonly stake: bigint;
  readonly commissionBps: number;
  readonly selfBondId: Identifier;
  /** False for a member that keeps its seat only because no validator is eligible. */
  readonly sharesPool: boolean;
}

export interface Attendance {
  /** In how many cuts of the running window the member's bit was set. */
  readonly signatures: number;
  /** One bit for each window in which it was present. */
  readonly windows: number;
}

/** The running epoch: its signers, and their attendance. */
export interface EpochRecord {
  readonly epoch: number;
  readonly validatorSetId: Identifier;
  /** Ascending by validator id, which is the order of the signers' bitmap. */
  readonly members: readonly CommitteeMember[];
  readonly attendance: readonly Attendance[];
}

export interface EconomyRecord {
  readonly height: number;
  readonly minted: bigint;
  readonly burned: bigint;
  /** The sum of all outputs. */
  readonly outputs: bigint;
  readonly bonded: bigint;
  readonly unbonding: bigint;
  /** Burned with removed validators, but still written in the delegations to them. */
  readonly slashed: bigint;
  readonly workReserve: bigint;
  readonly stakeReserve: bigint;
  readonly emission: EmissionState;
  /** The part of the work reserve that waits for the next anchor with work. */
  readonly workCarry: bigint;
  /** The part of the stake reserve that belongs to the running interval. */
  readonly stakePool: bigint;
  /** The epoch of the pool that is being paid out, the one before the running epoch; null once it is paid. */
  readonly openPool: number | null;
  /** The target of blocks anchored to this cut. */
  readonly workTarget: bigint;
  readonly paceMillis: number;
  readonly paceBaseMillis: number;
  /** The time of the cut; not committed by the state root, its header has it. */
  readonly timeMillis: number;
}

/** The data from which the root of the list of all cuts before the last one follows. */
export interface PastCutsRecord {
  readonly peaks: HistoryPeaks;
}

export interface Tables {
  outputs: OutputRecord;
  positions: PositionRecord;
  validators: ValidatorRecord;
  keys: KeyRecord;
  spent: SpentRecord;
  spentLists: SpentListRecord;
  anchors: AnchorRecord;
  blocks: BlockRecord;
  bodies: BodyRecord;
  registered: RegisteredRecord;
  releases: ReleaseRecord;
  pools: PoolRecord;
  epoch: EpochRecord;
  economy: EconomyRecord;
  pastCuts: PastCutsRecord;
}

export type Table = keyof Tables;

/** Every table, in the order of changes. The last three hold one record each, under `SINGLE_KEY`. */
export const TABLES = [
  'outputs',
  'positions',
  'validators',
  'keys',
  'spent',
  'spentLists',
  'anchors',
  'blocks',
  'bodies',
  'registered',
  'releases',
  'pools',
  'epoch',
  'economy',
  'pastCuts',
] as const satisfies readonly Table[];

export const SINGLE_KEY = '';
