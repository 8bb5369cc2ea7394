/**
 * Virtual time: events in order of their time, and of their making where times are equal. Times are kept beside the
 * events, so that comparing them does not depend on what kinds of events there are, and no event has a number of its own.
 */
export class EventQueue<Event> {
  readonly #events: Event[] = [];
  readonly #times: number[] = [];
  readonly #orders: number[] = [];
  #made = 0;
  #time = 0;

  /** The time of the event that was taken last. */
  get time(): number {
    return this.#time;
  }

  get size(): number {
    return this.#events.length;
  }

  push(event: Event, time: number): void {
    const order = this.#made++;
    const events = this.#events;
    const times = this.#times;
    const orders = this.#orders;
    let at = times.length;
    events.push(event);
    times.push(time);
    orders.push(order);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      // What was made earlier stays above what is due at the same time.
      if ((times[parent] as number) <= time) break;
      events[at] = events[parent] as Event;
      times[at] = times[parent] as number;
      orders[at] = orders[parent] as number;
      at = parent;
    }
    events[at] = event;
    times[at] = time;
    orders[at] = order;
  }

  pop(): Event | undefined {
    const events = this.#events;
    const times = this.#times;
    const orders = this.#orders;
    const first = events[0];
    if (first === undefined) return undefined;
    this.#time = times[0] as number;
    const last = events.pop();
    const time = times.pop() as number;
    const order = orders.pop() as number;
    const { length } = events;
    if (last === undefined || length === 0) return first;
    let at = 0;
    for (let child = 1; child < length; child = 2 * at + 1) {
      let earliest = times[child] as number;
      const right = child + 1;
      if (right < length) {
        const other = times[right] as number;
        const isRight =
          other < earliest ||
          (other === earliest && (orders[right] as number) < (orders[child] as number));
        if (isRight) {
          child = right;
          earliest = other;
        }
      }
      const isBelow = earliest < time || (earliest === time && (orders[child] as number) < order);
      if (!isBelow) break;
      events[at] = events[child] as Event;
      times[at] = earliest;
      orders[at] = orders[child] as number;
      at = child;
    }
    events[at] = last;
    times[at] = time;
    orders[at] = order;
    return first;
  }
}

interface Call {
  call: (() => void) | undefined;
}

/** Calls at moments of virtual time, for worlds in which nothing else happens. */
export class CallQueue {
  readonly #queue = new EventQueue<Call>();
  now = 0;

  /** Returns a function that cancels the call. */
  later(delayMs: number, call: () => void): () => void {
    const event: Call = { call };
    this.#queue.push(event, this.now + Math.max(0, delayMs));
    return () => {
      event.call = undefined;
    };
  }

  /** Moves time on to the next call that was not cancelled; undefined if there is none. */
  next(): (() => void) | undefined {
    for (let event = this.#queue.pop(); event !== undefined; event = this.#queue.pop()) {
      this.now = this.#queue.time;
      if (event.call !== undefined) return event.call;
    }
    return undefined;
  }
}
