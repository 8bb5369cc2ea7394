/**
 * Who wants to be told of one kind of event. Listeners are called in the order they came, in the same turn.
 */
export class Listeners<T> {
  readonly #listeners = new Set<(event: T) => void>();

  /** Calls the listener for every event from now on; the answer ends that. */
  on(listener: (event: T) => void): () => void {
    const own = (event: T): void => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  emit(event: T): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
