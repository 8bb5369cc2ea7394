/**
 * What tests of whole processes share: waiting and reading.
 */
import assert from 'node:assert/strict';

const TRIES = 2_400;
const PAUSE_MILLIS = 50;
const OVERLOADED = 503;

/** What is found at last; two minutes are enough for everything. */
export async function until<T>(find: () => Promise<T | undefined>, what: string): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
  }
  return assert.fail(`waited for ${what}`);
}

/**
 * Reads a document. A node that has no processor for the answer, while its cuts go on, says so; it is asked again, as
 * every program asks.
 */
export async function read<T>(url: string): Promise<T> {
  return until(async () => {
    const answer = await fetch(url);
    const document = (await answer.json()) as T;
    return answer.status === OVERLOADED ? undefined : document;
  }, `an answer of ${url}`);
}

export async function post<T>(url: string, body: object): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as T;
}
