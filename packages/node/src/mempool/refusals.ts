/**
 * How a submission is refused: a code of the error catalogue, what was found, and where. Also remembers which
 * wires were refused for their signatures, so that the same bytes are not checked twice.
 */
import { hash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import { type ErrorCode, isErrorCode } from 'svc-api';
import type { Admission } from 'svc-serve/ports';

export type Refused = Extract<Admission, { readonly type: 'refused' }>;
export type Known = Extract<Admission, { readonly type: 'accepted' | 'known' }>;

export function refuse(code: ErrorCode, message: string, path?: string): Refused {
  return { type: 'refused', code, message, ...(path === undefined ? {} : { path }) };
}

/** Keeps the code of a refusal by the protocol module if the error catalogue has it. */
export function refuseFor(error: {
  readonly code: string;
  readonly message: string;
  readonly path?: string | undefined;
}): Refused {
  return refuse(isErrorCode(error.code) ? error.code : 'invalid', error.message, error.path);
}

export function known(id: string): Known {
  return { type: 'known', id };
}

const REFUSED_IDS_MAX = 16_384;
const REFUSED_WIRES_PER_ID_MAX = 4;

interface RefusedWire {
  readonly digest: string;
  readonly refused: Refused;
}

/**
 * A transaction id does not cover the witnesses, so a verdict is about the whole wire: otherwise anybody could
 * have a good transaction refused by sending it with a bad signature first.
 */
export class RefusedWires {
  readonly #verdicts = new QuickLRU<string, readonly RefusedWire[]>({ maxSize: REFUSED_IDS_MAX });

  get(id: string, wire: Uint8Array): Refused | undefined {
    const verdicts = this.#verdicts.get(id);
    if (verdicts === undefined) return undefined;
    const digest = digestOf(wire);
    return verdicts.find((verdict) => verdict.digest === digest)?.refused;
  }

  remember(id: string, wire: Uint8Array, refused: Refused): void {
    const verdicts = this.#verdicts.get(id) ?? [];
    const verdict = { digest: digestOf(wire), refused };
    this.#verdicts.set(id, [verdict, ...verdicts].slice(0, REFUSED_WIRES_PER_ID_MAX));
  }
}

function digestOf(wire: Uint8Array): string {
  return hash('sha256', wire, 'base64url');
}
