/**
 * Who may call: the holder of a token. Tokens travel in the header alone, are compared without telling how much
 * of one was right, and a wrong one costs time.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';

export type Access = 'full' | 'read';

export interface Tokens {
  readonly full: string;
  /** Allows reading only. */
  readonly read: string | null;
}

const BEARER = /^Bearer ([!-~]{1,256})$/i;
const DELAY_MILLIS = 250;
const DELAY_MILLIS_MAX = 2_000;
const FORGET_AFTER_MILLIS = 60_000;

export class AccessControl {
  readonly #tokens: readonly (readonly [Access, Buffer])[];
  readonly #clock: Clock;
  #failures = 0;
  #failedAtMillis = 0;

  constructor({ full, read }: Tokens, clock: Clock) {
    this.#clock = clock;
    this.#tokens = [
      ['full', digest(full)],
      ...(read === null ? [] : [['read', digest(read)] as const]),
    ];
  }

  /** Nothing for a wrong or missing token, after a delay that grows with repeated failures. */
  async check(authorization: string | undefined): Promise<Access | undefined> {
    const given = BEARER.exec(authorization ?? '')?.[1];
    const found = given === undefined ? undefined : this.#accessOf(digest(given));
    if (found !== undefined) return found;
    await this.#clock.sleep(this.#delay());
    return undefined;
  }

  #accessOf(given: Buffer): Access | undefined {
    let found: Access | undefined;
    for (const [access, token] of this.#tokens) {
      if (timingSafeEqual(given, token)) found ??= access;
    }
    return found;
  }

  #delay(): number {
    const now = this.#clock.now();
    if (now - this.#failedAtMillis > FORGET_AFTER_MILLIS) this.#failures = 0;
    this.#failedAtMillis = now;
    this.#failures++;
    return Math.min(DELAY_MILLIS_MAX, DELAY_MILLIS * this.#failures);
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
