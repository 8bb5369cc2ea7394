/**
 * Bytes that went through sockets, as the sockets themselves count them: encryption and multiplexing are included,
 * and failed connections too.
 */
export interface CountedSocket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  once(event: 'close', listener: () => void): unknown;
}

export class Traffic {
  readonly #open = new Set<CountedSocket>();
  #received = 0;
  #sent = 0;

  get receivedBytes(): number {
    let sum = this.#received;
    for (const socket of this.#open) sum += socket.bytesRead;
    return sum;
  }

  get sentBytes(): number {
    let sum = this.#sent;
    for (const socket of this.#open) sum += socket.bytesWritten;
    return sum;
  }

  track(socket: CountedSocket): void {
    if (this.#open.has(socket)) return;
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#received += socket.bytesRead;
      this.#sent += socket.bytesWritten;
    });
  }
}
