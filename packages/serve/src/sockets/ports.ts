/**
 * What the sockets are given beside the services of the node: who may connect, and how a read is answered.
 */
import type { IncomingMessage } from 'node:http';
import type { MempoolDocument } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import type { BlockPool, Chain, Mempool, Services } from '../ports.ts';
import type { Refusal } from '../refusal/refused.ts';

/** `client` is the address that limits count by: an IPv6 client shares it with its /64. */
export type UpgradeVerdict =
  | { readonly admitted: true; readonly client: string }
  | { readonly admitted: false; readonly refusal: Refusal };

/** Judges Host, Origin and rate of a request that wants to become a socket. */
export interface UpgradeGuard {
  admit(request: IncomingMessage): UpgradeVerdict;
}

export interface ReadAnswer {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
}

/** Answers a GET as the HTTP API would, from the budget of the same client. */
export type ReadPort = (path: string, client: string) => Promise<ReadAnswer>;

/** The part of the services that the sockets use. */
export interface SocketServices extends Pick<Services, 'log' | 'rates' | 'statuses' | 'sync'> {
  readonly chain: Pick<Chain, 'finalized' | 'genesis' | 'head' | 'reader'>;
  readonly mempool: Pick<Mempool, 'added' | 'removed'>;
  readonly blocks: Pick<BlockPool, 'accepted'>;
}

export interface SocketPorts {
  readonly services: SocketServices;
  readonly guard: UpgradeGuard;
  /** Times heartbeats, rates and pauses. Runs with real time even if the clock of the chain jumps. */
  readonly clock: Clock;
  readonly read: ReadPort;
  /** The document of `/v1/mempool`. */
  readonly mempoolDocument: () => MempoolDocument;
}
