/**
 * What the mining listener is given of a node.
 */
import type { SyncDocument } from 'svc-api';
import type { Clock, Log } from 'svc-base/pure';
import type { BlockPool, Chain, Rates } from 'svc-serve/ports';
import type { Templates } from './templates.ts';

export interface MiningPorts {
  readonly chain: Pick<Chain, 'finalized' | 'head' | 'manifest' | 'parameters'>;
  readonly templates: Templates;
  readonly blocks: Pick<BlockPool, 'submit'>;
  readonly rates: Rates;
  sync(): SyncDocument;
  /** Whether the network continued under rules that this release does not know. */
  isOutdated(): boolean;
  readonly clock: Clock;
  readonly log: Log;
}
