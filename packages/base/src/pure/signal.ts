/**
 * A list of listeners for one kind of event. Listeners are called in the order in which they subscribed and in the
 * same turn as `emit`. An error of a listener is thrown to the emitter and is meant to end the process, since the
 * listeners after it would miss the event.
 */
export class Signal<T> {
  readonly #listeners = new Set<(event: T) => void>();

  /** Calls the listener for every later event. Returns a function that unsubscribes it. */
  on(listener: (event: T) => void): () => void {
    // A function of its own for each subscription: the same listener may subscribe twice.
    const own = (event: T): void => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  emit(event: T): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
