/**
 * An answer that comes at a moment of virtual time. Unlike a promise it calls back in the turn in which it is given,
 * so that a simulation never waits for the event loop of its process.
 */
export class VirtualAnswer<T> implements PromiseLike<T> {
  readonly #listeners: ((answer: T) => unknown)[] = [];

  give(answer: T): void {
    for (const listener of this.#listeners) listener(answer);
  }

  // biome-ignore lint/suspicious/noThenProperty: the ports of a validator take whatever has `then`.
  then<A = T, B = never>(
    onGiven?: ((answer: T) => A | PromiseLike<A>) | null,
    _onFailed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): PromiseLike<A | B> {
    const chained = new VirtualAnswer<A | B>();
    this.#listeners.push((answer) => {
      if (onGiven) chained.give(onGiven(answer) as A);
      else chained.give(answer as unknown as A);
    });
    return chained;
  }
}
