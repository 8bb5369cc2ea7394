/**
 * What a proof is given to work with.
 */
import type { Client } from 'svc-client';
import type { Step } from './claims.ts';
import type { Trust } from './trust.ts';

export interface CheckPorts {
  readonly client: Client;
  readonly trust: Trust;
  /** Bytes read so far. */
  readonly read: { readonly bytes: number };
  /** Milliseconds, for the time that steps take. */
  readonly clock: () => number;
  readonly onStep: (step: Step) => void;
}

/** Does one step and tells of it; `detail` says what was found. */
export type TakeStep = <T>(title: string, run: () => Promise<readonly [T, string]>) => Promise<T>;

export interface CheckContext extends CheckPorts {
  readonly step: TakeStep;
}
