/**
 * Ends every read before the second write after its start. LevelDB 1.20 can show an old version of a key, lose
 * a record or bring a deleted one back when a compaction runs while a snapshot is older than something in its
 * files. The binding takes such a snapshot for each iterator and each `getMany` until they end, so readers need
 * not ask for one to meet the fault. What a write adds stays in memory until the next write begins; a read that
 * has ended by then can never be older than a file.
 */

/** The reads that began between the ends of two writes. */
class Generation {
  #open = 0;
  #drained: PromiseWithResolvers<void> | undefined;

  enter(): void {
    this.#open++;
  }

  leave(): void {
    this.#open--;
    if (this.#open === 0) this.#drained?.resolve();
  }

  async drained(): Promise<void> {
    if (this.#open === 0) return;
    this.#drained ??= Promise.withResolvers<void>();
    await this.#drained.promise;
  }
}

export class ReadGate {
  #previous = new Generation();
  #current = new Generation();
  #lastWrite: Promise<void> = Promise.resolve();
  #revision = 0;

  /** Grows when a write begins and when it ends: an even number says that none is under way. */
  get revision(): number {
    return this.#revision;
  }

  /** Starts a read at once; it never waits, but it must end by itself. */
  async read<T>(read: () => Promise<T>): Promise<T> {
    const generation = this.#current;
    generation.enter();
    try {
      return await read();
    } finally {
      generation.leave();
    }
  }

  /** Writes one after another, each when the reads that began before the end of the one before it have ended. */
  write(write: () => Promise<void>): Promise<void> {
    const written = this.#lastWrite.then(() => this.#write(write));
    this.#lastWrite = written.catch(() => {});
    return written;
  }

  /**
   * Runs a compaction between two writes. The engine first brings to its files what the last write left in memory, so
   * the reads that are older than that write must have ended, as before another write. Younger reads continue, and
   * nothing changes for them: the compaction has no revision.
   */
  compact(compact: () => Promise<void>): Promise<void> {
    const compacted = this.#lastWrite.then(async () => {
      await this.#previous.drained();
      await compact();
    });
    this.#lastWrite = compacted.catch(() => {});
    return compacted;
  }

  async #write(write: () => Promise<void>): Promise<void> {
    await this.#previous.drained();
    this.#revision++;
    try {
      await write();
    } finally {
      this.#previous = this.#current;
      this.#current = new Generation();
      this.#revision++;
    }
  }
}
