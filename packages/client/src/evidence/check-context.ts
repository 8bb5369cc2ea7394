/**
 * What a proof is given to work with.
 */
import type { RouteCalls } from '../routes/route-types.ts';
import type { Step } from './claims.ts';
import type { Trust } from './trust.ts';

export interface CheckPorts {
  readonly client: RouteCalls;
  readonly trust: Trust;
  /** Asks for an answer that the node signs; undefined headers are those that the answer lacks. */
  readonly askSigned: AskSigned;
  /** Bytes read so far. */
  readonly read: { readonly bytes: number };
  /** Milliseconds, for the time that steps take. */
  readonly clock: () => number;
  readonly onStep: (step: Step) => void;
}

export interface SignedAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | null>>;
  /** What the signature must cover, chosen for this very request. */
  readonly nonce: string;
}

export type AskSigned = (target: string) => Promise<SignedAnswer>;

/** Does one step and reports it; `detail` says what was found. */
export type TakeStep = <T>(title: string, run: () => Promise<readonly [T, string]>) => Promise<T>;

export interface CheckContext extends CheckPorts {
  readonly step: TakeStep;
}
