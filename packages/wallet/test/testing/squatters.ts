/**
 * Connections that are opened to keep others out: they say nothing, and come back when they are cut.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that says nothing, once it is open. */
export async function idle(url: string): Promise<{ closed: Promise<unknown>; socket: Socket }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  socket.resume();
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, closed };
}

/** Connections that say nothing, each opened again as soon as it is cut. */
export class Squatters {
  readonly #open = new Set<Socket>();
  readonly #port: number;
  #isAtWork = true;
  /** Connections that the daemon cut. */
  cut = 0;

  constructor(url: string, count: number) {
    this.#port = Number(new URL(url).port);
    for (let i = 0; i < count; i++) this.#squat();
  }

  get connected(): number {
    return [...this.#open].filter((socket) => !socket.connecting).length;
  }

  close(): void {
    this.#isAtWork = false;
    for (const socket of this.#open) socket.destroy();
  }

  #squat(): void {
    const socket = connect(this.#port, '127.0.0.1');
    this.#open.add(socket);
    socket.on('error', () => undefined).resume();
    socket.once('close', () => {
      this.#open.delete(socket);
      if (!this.#isAtWork) return;
      this.cut++;
      setImmediate(() => this.#squat());
    });
  }
}
