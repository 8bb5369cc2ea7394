/**
 * How many frames a client may send in a second. What goes beyond is refused; a client that sends as much
 * again is disconnected.
 */
const WINDOW_MILLIS = 1_000;

export type FrameVerdict =
  | { readonly type: 'taken' | 'broken' }
  | { readonly type: 'refused'; readonly retryAfterMillis: number };

const TAKEN: FrameVerdict = { type: 'taken' };
const BROKEN: FrameVerdict = { type: 'broken' };

export class FrameRate {
  readonly #most: number;
  #since = Number.NEGATIVE_INFINITY;
  #frames = 0;

  constructor(framesPerSecond: number) {
    this.#most = framesPerSecond;
  }

  judge(now: number): FrameVerdict {
    if (now - this.#since >= WINDOW_MILLIS || now < this.#since) {
      this.#since = now;
      this.#frames = 0;
    }
    this.#frames++;
    if (this.#frames <= this.#most) return TAKEN;
    if (this.#frames > 2 * this.#most) return BROKEN;
    return { type: 'refused', retryAfterMillis: this.#since + WINDOW_MILLIS - now };
  }
}
