/**
 * What tests of whole processes share: waiting and reading.
 */
import assert from 'node:assert/strict';

const TRIES = 2_400;
const PAUSE_MILLIS = 50;

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
