/**
 * Virtual time: events in order of their time, and of their making where times are equal. Times are kept beside the
 * events, so that comparing them does not depend on what kinds of events there are.
 */
export interface Timed {
  at: number;
}

export class EventQueue<Event extends Timed> {
  readonly #events: Event[] = [];
  readonly #times: number[] = [];
  readonly #orders: number[] = [];
  #made = 0;

  get size(): number {
    return this.#events.length;
  }

  push(event: Event): void {
    const time = event.at;
    const order = this.#made++;
    const times = this.#times;
    let at = times.length;
    this.#events.push(event);
    times.push(time);
    this.#orders.push(order);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      // What was made earlier stays above what is due at the same time.
      if ((times[parent] as number) <= time) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, event, time, order);
  }

  pop(): Event | undefined {
    const first = this.#events[0];
    const last = this.#events.pop();
    const time = this.#times.pop() as number;
    const order = this.#orders.pop() as number;
    if (last === undefined || this.#events.length === 0) return first;
    const { length } = this.#events;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      const right = child + 1;
      if (right < length && this.#isEarlier(right, this.#times[child], this.#orders[child]))
        child = right;
      if (!this.#isEarlier(child, time, order)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, last, time, order);
    return first;
  }

  #isEarlier(at: number, time = 0, order = 0): boolean {
    const own = this.#times[at] as number;
    return own < time || (own === time && (this.#orders[at] as number) < order);
  }

  #move(from: number, to: number): void {
    this.#put(
      to,
      this.#events[from] as Event,
      this.#times[from] as number,
      this.#orders[from] as number,
    );
  }

  #put(at: number, event: Event, time: number, order: number): void {
    this.#events[at] = event;
    this.#times[at] = time;
    this.#orders[at] = order;
  }
}
