/**
 * Refusals of the mining listener alone.
 */
import type { CatalogueEntry } from '../errors/catalogue-entry.ts';

export const MINING_ERRORS = {
  not_local: {
    status: 403,
    retry: 'never',
    meaning: 'The listener serves programs of its own machine alone.',
    hint: 'Run the bridge, pool or miner on the machine of the node.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
