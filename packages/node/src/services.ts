/**
 * Everything that the HTTP API and the sockets are given of a node. They reach nothing else, so that they can
 * be moved to another thread.
 */
import type { StatusDocument, SyncDocument, TroubleDocument } from 'svc-api';
import type { Clock, Log } from 'svc-base/pure';
import type { BlockPool } from './ports/blocks.ts';
import type { Chain } from './ports/chain.ts';
import type { NodeIdentity } from './ports/identity.ts';
import type { Mempool } from './ports/mempool.ts';
import type { StateProofs } from './ports/proofs.ts';
import type { Rates } from './ports/rates.ts';
import type { Relay } from './ports/relay.ts';
import type { TransactionStatuses } from './ports/statuses.ts';

export interface Services {
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly blocks: BlockPool;
  readonly statuses: TransactionStatuses;
  readonly proofs: StateProofs;
  readonly relay: Relay;
  readonly identity: NodeIdentity;
  readonly rates: Rates;
  sync(): SyncDocument;
  /** What the node lacks now, and whether requests should go elsewhere because of it. */
  troubles(): readonly TroubleDocument[];
  status(): StatusDocument;
  readonly clock: Clock;
  readonly log: Log;
  /** The release of the node. */
  readonly version: string;
}
