/**
 * Huge pages for the memory of a dataset. A hash reads 64 places of two gigabytes, and without them waits for the
 * processor to find the page for a third of its time.
 */
import { askForHugePages } from 'svc-base/node';

/** Smaller memories, such as those of development networks, gain too little to ask. */
const LEAST_BYTES = 64 << 20;

/** Ask first and fill then; returns whether the request was accepted. */
export function askForDatasetPages(memory: ArrayBufferLike): boolean {
  return askForHugePages(memory, LEAST_BYTES);
}
