/**
 * What the control routes of a development network can do with it.
 */
import type { ComposedNode } from '../../compose/composed-node.ts';
import type { Bind } from '../../config/bind.ts';
import type { DevSeat } from '../committee.ts';
import type { Presence } from '../presence.ts';
import type { Snapshots } from '../snapshots.ts';

export interface DevControl {
  readonly node: {
    readonly seats: readonly DevSeat[];
    readonly presence: Presence;
    readonly composed: ComposedNode;
  };
  readonly snapshots: Snapshots;
  /** Addresses of the funded accounts, which the words open. */
  readonly accounts: readonly string[];
  /** How often its node has started; a revert starts it anew, and so does a snapshot unless it is in memory. */
  readonly starts: number;
  /** Where the bridge takes pages; undefined if there is none. */
  readonly minerSocket: Bind | undefined;
  /** Resolves with the node once no restart of it is under way. */
  settled(): Promise<DevControl['node']>;
  mine(cuts: number): Promise<number>;
  advanceEpochs(epochs: number): Promise<number>;
  advanceTime(millis: number): Promise<number>;
  snapshot(name: string): Promise<string>;
  revert(name: string): Promise<number>;
  background(work: Promise<unknown>): void;
}
