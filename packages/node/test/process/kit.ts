/**
 * What tests of whole processes share: a directory, and waiting.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Tests wait for no disk where there is memory that looks like one. */
const MEMORY = '/dev/shm';
const TRIES = 2_400;
const PAUSE_MILLIS = 50;

export function temporaryDirectory(): string {
  return mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'svc-process-test-'));
}

/** What is found at last; two minutes are enough for everything. */
export async function until<T>(find: () => Promise<T | undefined>, what: string): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
  }
  return assert.fail(`waited for ${what}`);
}

export async function read<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}

export async function post<T>(url: string, body: object): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as T;
}
