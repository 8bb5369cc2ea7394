/**
 * A client that behaves: one request after another at a modest rate, from an address of its own, every second one on a
 * connection that it keeps. It says how long answers took and how many did not come.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

export interface HonestClientOptions {
  readonly port: number;
  readonly path: string;
  readonly from: string;
  readonly requests: number;
  readonly pauseMillis: number;
  /** No request begins after so many milliseconds. */
  readonly millisMax: number;
}

export interface Experience {
  /** Milliseconds, the shortest first. */
  readonly millis: readonly number[];
  /** Requests without an answer of 200 within the limit. */
  readonly failed: number;
}

const PATIENCE_MILLIS = 10_000;

export async function askHonestly(options: HonestClientOptions): Promise<Experience> {
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  const millis: number[] = [];
  let failed = 0;
  const end = performance.now() + options.millisMax;
  for (let index = 0; index < options.requests && performance.now() < end; index++) {
    const begin = performance.now();
    if (await isAnswered(options, index % 2 === 0 ? kept : false)) {
      millis.push(performance.now() - begin);
    } else {
      failed++;
    }
    await pause(options.pauseMillis);
  }
  kept.destroy();
  return { millis: millis.toSorted((a, b) => a - b), failed };
}

async function isAnswered(
  { port, path, from }: HonestClientOptions,
  agent: Agent | false,
): Promise<boolean> {
  const asked = request({ host: '127.0.0.1', port, path, localAddress: from, agent });
  asked.setTimeout(PATIENCE_MILLIS, () => asked.destroy(new Error('no answer')));
  asked.end();
  try {
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    await buffer(response);
    return response.statusCode === 200;
  } catch {
    return false;
  }
}

/** The value that so large a part of the sorted values does not exceed. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
