/**
 * What a validator's driver is given, and what it says about itself.
 */
import type { FinalityState } from 'svc-finality';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ChainCore } from '../chain/chain-core.ts';
import type { BlockPool } from '../ports/blocks.ts';
import type { ValidatorOverlay } from '../ports/overlay.ts';
import type { Relay } from '../ports/relay.ts';
import type { VoteChecks } from '../ports/vote-checks.ts';
import type { DriverFaults } from './driver-faults.ts';
import type { SignStateChoice } from './open-validator.ts';
import type { ValidatorKey } from './validator-key.ts';

export interface DriverOptions {
  readonly chain: ChainCore;
  readonly blocks: BlockPool;
  readonly overlay: ValidatorOverlay;
  readonly key: ValidatorKey;
  /** `<data>/validator/<name>`. */
  readonly directory: string;
  readonly signState: SignStateChoice;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
  /** Checks signatures elsewhere; in this thread if absent. */
  readonly checks?: VoteChecks;
  /** Whether the chain is as far as others show theirs to be; nothing is signed before it was for a while. */
  readonly isCurrent?: () => boolean;
  /** Others have decided a cut of rules that this release does not know; nothing is signed from here on. */
  readonly onNewRules?: (height: number) => void;
  /** Ordinary peers, asked for blocks that no validator gave. */
  readonly relay?: Relay;
  readonly random?: () => number;
  /** Refused on every network but the development network. */
  readonly faults?: DriverFaults;
}

export interface DriverStatus {
  /** Null while the key belongs to no validator of the committee. */
  readonly validatorId: string | null;
  readonly height: number;
  readonly round: number;
  readonly step: FinalityState['round']['step'];
  readonly neighbours: number;
  readonly signing: 'active' | 'silent' | 'stopped' | 'paused';
  /** Null if the key has signed nothing. */
  readonly lastSignedHeight: number | null;
  readonly window: { readonly cuts: number; readonly signed: number };
}
