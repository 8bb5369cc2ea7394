/**
 * Memory that tells whether the thread of a `LogMover` is at work, so that whoever closes a state can wait for it without an
 * event: the connection that is closed last takes the log with it.
 */

const IDLE = 0;
const ORDERED = 1;
const MOVING = 2;

export interface MoveData {
  /** What the thread opens for each move. */
  readonly location: string;
  readonly memory: SharedArrayBuffer;
}

export interface MoveAnswer {
  readonly failure?: string;
}

export class MoveTurn {
  static readonly BYTES = 4;
  readonly memory: SharedArrayBuffer;
  readonly #word: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#word = new Int32Array(memory);
  }

  order(): void {
    Atomics.store(this.#word, 0, ORDERED);
  }

  /** Called by the thread. Whether what was ordered is still wanted. */
  begin(): boolean {
    return Atomics.compareExchange(this.#word, 0, ORDERED, MOVING) === ORDERED;
  }

  /** Called by the thread, when it has closed its connection. */
  end(): void {
    Atomics.store(this.#word, 0, IDLE);
    Atomics.notify(this.#word, 0);
  }

  /** Takes an order back that was not begun, and waits for the end of one that was. */
  giveUp(millisMax: number): void {
    if (Atomics.compareExchange(this.#word, 0, ORDERED, IDLE) !== MOVING) return;
    Atomics.wait(this.#word, 0, MOVING, millisMax);
  }
}
