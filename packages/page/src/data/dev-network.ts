/** Routes that only a development network has. */
import { sleep } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { get, readDocument } from './read.ts';

export interface DevDocument {
  readonly starts: number;
  readonly words: string;
  readonly accounts: readonly string[];
  readonly validators: readonly string[];
  /** The path of the bridge's socket; null if the network has no bridge. */
  readonly miner_socket: string | null;
}

export const DEV_REQUEST = get('/v1/dev');

export function readDevNetwork(): Promise<DevDocument> {
  return readDocument<DevDocument>(DEV_REQUEST);
}

const BACK_TRIES = 240;
const BACK_MILLIS = 250;

/** Waits until the node has started so many times. */
export async function backAt(starts: number): Promise<void> {
  for (let tries = 0; tries < BACK_TRIES; tries++) {
    const found = await readDevNetwork().catch(() => undefined);
    if (found !== undefined && found.starts >= starts) return;
    await sleep(SYSTEM_CLOCK, BACK_MILLIS);
  }
  throw new Error('the network did not come back');
}
