/**
 * Reads everything of one answer from one cut: starts again when a newer cut comes in between.
 */
import type { ChainReader } from '../chain-reader.ts';
import { StoreMovedError } from '../errors.ts';

/** A cut takes seconds and an answer milliseconds, so only a node that catches up comes near this. */
const ATTEMPTS_MAX = 32;

export interface ReaderSource {
  reader(): ChainReader;
}

/** Calls `read` until it has seen one cut throughout; it must do nothing but read. */
export async function readAtHead<T>(
  source: ReaderSource,
  read: (reader: ChainReader) => Promise<T>,
): Promise<T> {
  return repeatWhenMoved(async () => {
    const reader = source.reader();
    try {
      return await read(reader);
    } finally {
      await reader.close();
    }
  });
}

/** Repeats an attempt while the head moves. */
export async function repeatWhenMoved<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StoreMovedError) || attempts === ATTEMPTS_MAX) throw error;
    }
  }
}
