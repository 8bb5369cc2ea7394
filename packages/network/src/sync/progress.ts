/**
 * How fast the chain grows here and how long it takes to catch up.
 */
export interface SyncProgress {
  readonly height: number;
  /** Heights that peers claim; proven as the sync continues. */
  readonly targetHeight: number;
  readonly cutsPerSecond: number;
  /** Null while the rate is not known. */
  readonly secondsLeft: number | null;
}

interface Sample {
  readonly atMillis: number;
  readonly height: number;
}

const SAMPLES_MAX = 30;

export class ProgressMeter {
  readonly #samples: Sample[] = [];

  /** Called about once a second. */
  measure(height: number, targetHeight: number, nowMillis: number): SyncProgress {
    this.#samples.push({ atMillis: nowMillis, height });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
    const [first] = this.#samples as [Sample];
    const seconds = (nowMillis - first.atMillis) / 1_000;
    const cutsPerSecond = seconds === 0 ? 0 : (height - first.height) / seconds;
    const left = Math.max(0, targetHeight - height);
    const secondsLeft = cutsPerSecond === 0 ? null : Math.ceil(left / cutsPerSecond);
    return { height, targetHeight, cutsPerSecond, secondsLeft: left === 0 ? 0 : secondsLeft };
  }

  reset(): void {
    this.#samples.length = 0;
  }
}
