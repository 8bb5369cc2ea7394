/**
 * Transactions whose signatures were found not to hold, so that the same bytes are not checked twice. An id
 * does not cover the witnesses: a verdict is about the whole wire, or anybody could have a good transaction
 * refused by sending it with a bad signature first.
 */
import { hash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import type { Refused } from './refusal.ts';

const IDS_MAX = 16_384;
const WIRES_PER_ID_MAX = 4;

interface RefusedWire {
  readonly digest: string;
  readonly refused: Refused;
}

export class RefusedWires {
  readonly #verdicts = new QuickLRU<string, readonly RefusedWire[]>({ maxSize: IDS_MAX });

  get(id: string, wire: Uint8Array): Refused | undefined {
    const verdicts = this.#verdicts.get(id);
    if (verdicts === undefined) return undefined;
    const digest = digestOf(wire);
    return verdicts.find((verdict) => verdict.digest === digest)?.refused;
  }

  remember(id: string, wire: Uint8Array, refused: Refused): void {
    const verdicts = this.#verdicts.get(id) ?? [];
    const verdict = { digest: digestOf(wire), refused };
    this.#verdicts.set(id, [verdict, ...verdicts].slice(0, WIRES_PER_ID_MAX));
  }
}

function digestOf(wire: Uint8Array): string {
  return hash('sha256', wire, 'base64url');
}
