/**
 * Rates of the network over the last cuts, kept in memory.
 */
import type { RatesDocument } from 'svc-api';

export interface Rates {
  document(): RatesDocument;
}
