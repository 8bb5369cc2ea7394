/**
 * What the command line asks of the rest of the node: to start one, or to start a development network.
 * `compose.ts` and `dev/` keep to these types.
 */
import type { Genesis, LedgerParameters } from 'svc-ledger';
import type { Log } from '../base/log.ts';
import type { Bind } from '../config/bind.ts';
import type { NodeConfig } from '../config/node-config.ts';
import type { StatusFacts } from '../log/status-line.ts';
import type { NodeMetrics } from '../metrics/node-metrics.ts';

export interface NodeContext {
  readonly genesis: Genesis;
  /** The id of the chain that starts from the genesis. */
  readonly chainId: string;
  /** Those of the network unless a measurement needs others. */
  readonly parameters?: LedgerParameters;
  /** Starts a record of what the validator's key signed where there is none, after 48 silent cuts. */
  readonly newSignState?: boolean;
  readonly log: Log;
  /** `watch` is called as soon as the parts are there; the listener is not the node's business. */
  readonly metrics: NodeMetrics;
  readonly version: string;
  /** Ends the process at once, with a line in the log: a durable write failed, or the state is not what it must be. */
  readonly onFatal: (error: unknown) => void;
}

export interface RunningNode {
  /** Where it listens, with the ports that the system chose for port 0. */
  readonly http: Bind;
  readonly mining: Bind;
  status(): StatusFacts;
  /** Idempotent; within a few seconds. */
  close(): Promise<void>;
}

export type StartNode = (config: NodeConfig, context: NodeContext) => Promise<RunningNode>;

export interface DevOptions {
  /** Milliseconds, as fast as the machine allows, or only when told. */
  readonly cutTime: number | 'auto' | 'manual';
  readonly validators: number;
  /** Of the HTTP API; miners' and the wallet's are the next two. All are free ports for 0. */
  readonly port: number;
  /** Null for a network that is gone when it ends. */
  readonly stateDir: string | null;
  readonly wallet: boolean;
  readonly miner: boolean;
  readonly browserOrigins: readonly string[];
}

export interface DevContext {
  /** Those of development networks unless a measurement needs others. */
  readonly parameters?: LedgerParameters;
  readonly log: Log;
  readonly metrics: NodeMetrics;
  readonly version: string;
  readonly onFatal: (error: unknown) => void;
}

export interface DevAccountFacts {
  readonly index: number;
  readonly address: string;
  /** In coins with 8 decimals. */
  readonly balance: string;
}

export interface DevFacts {
  readonly chainId: string;
  readonly validators: number;
  readonly cutTime: number | 'auto' | 'manual';
  readonly epochCuts: number;
  readonly http: Bind;
  readonly mining: Bind;
  /** Null if there is no wallet daemon. */
  readonly wallet: { readonly bind: Bind; readonly tokenFile: string } | null;
  readonly words: string;
  readonly accounts: readonly DevAccountFacts[];
  readonly stateDir: string | null;
}

export interface DevNetwork {
  readonly facts: DevFacts;
  /** Resolves with the height of the first cut that was made final after the start. */
  readonly firstCut: Promise<number>;
  status(): StatusFacts;
  /** Makes so many cuts now; resolves with the height that was reached. */
  mine(cuts: number): Promise<number>;
  advanceEpochs(epochs: number): Promise<number>;
  /** Resolves with the name under which the state can be brought back. */
  snapshot(): Promise<string>;
  close(): Promise<void>;
}

export type StartDevNetwork = (options: DevOptions, context: DevContext) => Promise<DevNetwork>;
