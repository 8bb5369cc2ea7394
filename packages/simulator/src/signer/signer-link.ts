/**
 * A connection between a node and the signer: frames arrive in their order, late, and not at all once one end is gone.
 * While the network between them is down, frames wait, as those of TCP do.
 */

/** One end of a connection, as its process has opened it. */
export interface LinkEnd {
  receive(frame: Uint8Array): void;
  /** The other end is gone. */
  closed(): void;
}

export interface LinkPorts {
  callLater(delayMs: number, call: () => void): void;
  now(): number;
  delayMs(): number;
  /** Until when nothing passes. */
  downUntil(): number;
}

export type Side = 'node' | 'signer';

export class SignerLink {
  readonly #ports: LinkPorts;
  readonly #ends: Partial<Record<Side, LinkEnd>> = {};
  readonly #arrivesAt: Record<Side, number> = { node: 0, signer: 0 };
  readonly #gone = new Set<Side>();

  constructor(ports: LinkPorts) {
    this.#ports = ports;
  }

  attach(side: Side, end: LinkEnd): void {
    this.#ends[side] = end;
  }

  send(to: Side, frame: Uint8Array): void {
    this.#deliver(to, (end) => end.receive(frame));
  }

  /** A process ends, or closes its end; the other side learns of it as late as of a frame. */
  close(side: Side): void {
    if (this.#gone.has(side)) return;
    this.#gone.add(side);
    this.#deliver(side === 'node' ? 'signer' : 'node', (end) => end.closed());
  }

  /** The machine of a process is gone, and nobody tells the other side. */
  vanish(side: Side): void {
    this.#gone.add(side);
  }

  #deliver(to: Side, call: (end: LinkEnd) => void): void {
    const { now, delayMs, downUntil, callLater } = this.#ports;
    const at = Math.max(this.#arrivesAt[to], now() + delayMs(), downUntil());
    this.#arrivesAt[to] = at;
    callLater(at - now(), () => {
      const end = this.#ends[to];
      if (end !== undefined && !this.#gone.has(to)) call(end);
    });
  }
}
