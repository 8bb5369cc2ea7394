/**
 * A failure that lasts: after a write has failed the contents of the file are unknown, so everything that comes later fails
 * with the first error, and nothing is tried again.
 */
export class LastingFailure {
  #error: unknown;

  /** Throws the failure, if there was one. */
  expectNone(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Does the work unless something has failed before; what the work throws lasts. */
  guard<T>(work: () => T): T {
    this.expectNone();
    try {
      return work();
    } catch (error) {
      this.#error = error;
      throw error;
    }
  }

  /** As `guard`, for work that takes its time. */
  async guardAsync(work: () => Promise<void>): Promise<void> {
    this.expectNone();
    try {
      await work();
    } catch (error) {
      this.#error = error;
      throw error;
    }
  }
}
