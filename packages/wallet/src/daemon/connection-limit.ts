/**
 * Who keeps a connection to a listener. Everybody comes as a stranger. Whoever shows a valid token gets one of the places
 * and keeps it; strangers share what is left, and the one that came first makes room for the next. So nobody without
 * a token keeps out those who have one. It knows neither tokens nor sockets.
 */
export interface PlaceLimits {
  /** Connections that showed a valid token. */
  readonly placesMax: number;
  /** Further connections, at least; places that nobody has are theirs too. */
  readonly strangersMax: number;
}

export class ConnectionLimit<Connection extends object> {
  readonly #limits: PlaceLimits;
  /** In the order in which they came. */
  readonly #strangers = new Set<Connection>();
  readonly #placed = new Set<Connection>();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Lets a connection in, and returns the one that has to go for it. */
  enter(connection: Connection): Connection | undefined {
    const { placesMax, strangersMax } = this.#limits;
    const isFull = this.#strangers.size + this.#placed.size >= placesMax + strangersMax;
    const [oldest] = isFull ? this.#strangers : [];
    if (oldest !== undefined) this.#strangers.delete(oldest);
    this.#strangers.add(connection);
    return oldest;
  }

  /** Gives a place to a connection that showed a valid token; false if there is none, or the connection has gone. */
  admit(connection: Connection): boolean {
    if (this.#placed.has(connection)) return true;
    if (this.#placed.size >= this.#limits.placesMax) return false;
    if (!this.#strangers.delete(connection)) return false;
    this.#placed.add(connection);
    return true;
  }

  /** Takes the place of a connection away whose token is not valid, or not any more. */
  dismiss(connection: Connection): void {
    if (this.#placed.delete(connection)) this.#strangers.add(connection);
  }

  leave(connection: Connection): void {
    this.#strangers.delete(connection);
    this.#placed.delete(connection);
  }
}
