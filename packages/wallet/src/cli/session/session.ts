/**
 * A wallet that a command can call: the daemon that holds it, or this process.
 */
import type { MethodName, MethodParams, MethodResult } from 'svc-api/rpc';

export interface Session {
  call<N extends MethodName>(method: N, params: MethodParams<N>): Promise<MethodResult<N>>;
  /** Reads what is new on the chain; a daemon does that by itself. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export type Need =
  /** The keys and the state: no node is asked. */
  | 'keys'
  /** The state as of now. */
  | 'chain'
  /** The state, kept up with the chain for as long as the command runs. */
  | 'follow';
