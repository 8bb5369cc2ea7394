/**
 * The inputs of a validator and its public state.
 */
import type { Clock, Log } from 'svc-base/pure';
import type {
  ConsensusKey,
  FinalityState,
  SignedMessage,
  SignResult,
  UnsignedMessage,
} from 'svc-consensus/machine';
import type { Later } from './base/later.ts';
import type { BlockPeers, ValidatorBlocks } from './ports/blocks.ts';
import type { ValidatorChain } from './ports/chain.ts';
import type { ValidatorFiles } from './ports/files.ts';
import type { MessageCodec, ValidatorOverlay, VoteChecks } from './ports/overlay.ts';
import type { ValidatorProbe } from './ports/probe.ts';
import type { ValidatorRules } from './start/timing.ts';

/**
 * `existing`: there is a record of what the key signed. `new`: the operator starts one, and waits 48 cuts.
 * `first`: as `existing`, but a chain that has not begun needs no record, since the key cannot have signed.
 * `unused`: as `existing`, but a record that is missing begins at the head: the chain proves that the key never signed.
 */
export type SignStateChoice = 'existing' | 'new' | 'first' | 'unused';

/** The key that signs votes, as a set of validators lists it. */
export interface VotingKey extends ConsensusKey {
  readonly publicKey: Uint8Array;
}

/** The consensus key of a validator of a node: here, or with a remote signer. */
export interface SeatKey extends VotingKey {
  readonly keyHash: string;
  /**
   * Signs the operation of a transaction's body if it is a heartbeat; undefined if it is not, or if no signer is
   * available now.
   */
  signHeartbeat(body: Uint8Array, manifestJson: string): Later<Uint8Array | undefined>;
  /** What only a process with this key can answer; absent where the key is in another one. */
  proveHeld?(challenge: Uint8Array): Uint8Array;
}

/**
 * A signer in another process, which keeps the record and decides what is signed. The record among the validator's files
 * is then a copy, which only this validator changes. An answer may stay out; the validator is ended then.
 */
export interface RemoteSigner {
  /** Whether it has served another node or an earlier start: then its record is no copy of this disk. */
  readonly isTakenOver: boolean;
  sign(message: UnsignedMessage): PromiseLike<SignResult>;
}

/**
 * Misbehaviour that a development network can be configured to show. On every other network a validator with faults
 * does not start.
 */
export interface ValidatorFaults {
  /** Whether the validator is muted at a height: it does not receive, sign or send. */
  readonly isAbsent?: (height: number) => boolean;
  /** Further messages that are sent after one that the signer has signed. */
  readonly afterSigning?: (message: SignedMessage) => readonly SignedMessage[];
}

/** The ports of a validator as its parts see them. */
export interface ValidatorPorts {
  readonly chain: ValidatorChain;
  readonly blocks: ValidatorBlocks;
  readonly key: VotingKey;
  readonly files: ValidatorFiles;
  /** Asked for signatures in place of the key. */
  readonly remoteSigner?: RemoteSigner;
  readonly clock: Clock;
  /** Calls in a later turn, after messages that arrived together. */
  readonly soon: (call: () => void) => void;
  /** From 0 up to 1, without 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
  /** Others have decided a cut of rules that this release does not know; nothing is signed from here on. */
  readonly onNewRules?: (height: number) => void;
  /** Ordinary peers, asked for blocks that no validator gave. */
  readonly peers?: BlockPeers;
  /** Refused on every network but the development network. */
  readonly faults?: ValidatorFaults;
  readonly probe?: ValidatorProbe;
}

export interface ValidatorOptions<Packet> extends ValidatorPorts {
  readonly overlay: ValidatorOverlay<Packet>;
  readonly codec: MessageCodec<Packet>;
  readonly checks: VoteChecks<Packet>;
  readonly signState: SignStateChoice;
  /** Whether the chain is as far as the chains of others; nothing is signed before it was for a while. */
  readonly isCurrent?: () => boolean;
  /** The rules of the chain's pace unless a simulation breaks one. */
  readonly rules?: ValidatorRules;
}

export interface ValidatorStatus {
  /** Null while the key belongs to no validator of the committee. */
  readonly validatorId: string | null;
  readonly height: number;
  readonly round: number;
  readonly step: FinalityState['round']['step'];
  readonly neighbours: number;
  /** `stopped`: the key never signs here again. `closing`: it ends with its process or its lease. */
  readonly signing: 'active' | 'silent' | 'stopped' | 'closing' | 'paused';
  /** Null if the key has signed nothing. */
  readonly lastSignedHeight: number | null;
  readonly window: { readonly cuts: number; readonly signed: number };
}
