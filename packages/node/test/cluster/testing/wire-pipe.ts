/**
 * One connection between two nodes as it passes by: two directions that deliver in order, late if the weather
 * is bad, and not at all while they are held.
 */
import { connect, type Socket } from 'node:net';

export interface Weather {
  /** Each way. */
  readonly delayMillis: number;
  /** The share of packets that have to be sent again. */
  readonly loss: number;
}

export const CLEAR: Weather = { delayMillis: 0, loss: 0 };

export interface PipeEnds {
  readonly from: string;
  readonly to: string;
  readonly port: number;
}

export interface PipePorts {
  readonly weather: () => Weather;
  readonly counted: (bytes: number) => void;
  readonly onClose: () => void;
}

const PACKET_BYTES = 1_448;
const RESENDS_MAX = 6;
const QUEUED_BYTES_MAX = 1 << 20;

export class Pipe {
  readonly ends: PipeEnds;
  readonly #near: Socket;
  readonly #ports: PipePorts;
  #far: Socket | undefined;
  #directions: readonly Direction[] = [];
  #isHeld = false;

  /** `near` was accepted and is not read yet. */
  constructor(near: Socket, ends: PipeEnds, ports: PipePorts) {
    this.ends = ends;
    this.#near = near;
    this.#ports = ports;
    near.on('error', () => this.destroy());
    near.on('close', () => this.destroy());
  }

  open(): void {
    this.#isHeld = false;
    if (this.#far === undefined) this.#dial();
    for (const direction of this.#directions) direction.pump();
  }

  hold(): void {
    this.#isHeld = true;
  }

  destroy(): void {
    this.#near.resetAndDestroy();
    this.#far?.resetAndDestroy();
    this.#ports.onClose();
  }

  #dial(): void {
    const { from, to, port } = this.ends;
    const far = connect({ host: to, port, localAddress: from, noDelay: true });
    this.#far = far;
    far.on('error', () => this.destroy());
    far.on('close', () => this.destroy());
    far.once('connect', () => {
      const isHeld = () => this.#isHeld;
      this.#directions = [
        new Direction(this.#near, far, this.#ports, isHeld),
        new Direction(far, this.#near, this.#ports, isHeld),
      ];
    });
  }
}

interface Parcel {
  readonly bytes: Buffer | null;
  readonly dueMillis: number;
}

class Direction {
  readonly #source: Socket;
  readonly #sink: Socket;
  readonly #ports: PipePorts;
  readonly #isHeld: () => boolean;
  readonly #parcels: Parcel[] = [];
  #queuedBytes = 0;
  #dueMillis = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: Socket, sink: Socket, ports: PipePorts, isHeld: () => boolean) {
    this.#source = source;
    this.#sink = sink;
    this.#ports = ports;
    this.#isHeld = isHeld;
    source.on('data', (bytes) => this.#take(bytes as Buffer));
    source.on('end', () => this.#take(null));
    source.resume();
  }

  /** Delivers what is due. */
  pump(): void {
    clearTimeout(this.#timer);
    while (!this.#isHeld()) {
      const [first] = this.#parcels;
      if (first === undefined) return;
      const wait = first.dueMillis - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.pump(), wait);
        return;
      }
      this.#parcels.shift();
      this.#deliver(first.bytes);
    }
  }

  #take(bytes: Buffer | null): void {
    this.#queuedBytes += bytes?.length ?? 0;
    this.#ports.counted(bytes?.length ?? 0);
    if (this.#queuedBytes > QUEUED_BYTES_MAX) this.#source.pause();
    const due = performance.now() + this.#delayOf(bytes?.length ?? 0);
    this.#dueMillis = Math.max(this.#dueMillis, due);
    this.#parcels.push({ bytes, dueMillis: this.#dueMillis });
    this.pump();
  }

  #deliver(bytes: Buffer | null): void {
    if (this.#sink.destroyed) return;
    if (bytes === null) {
      this.#sink.end();
      return;
    }
    this.#queuedBytes -= bytes.length;
    this.#sink.write(bytes);
    if (this.#queuedBytes <= QUEUED_BYTES_MAX) this.#source.resume();
  }

  /** A packet that is lost comes one round trip later, and everything behind it waits. */
  #delayOf(bytes: number): number {
    const { delayMillis, loss } = this.#ports.weather();
    if (delayMillis === 0 && loss === 0) return 0;
    let resends = 0;
    for (let at = 0; at < bytes; at += PACKET_BYTES) {
      let own = 0;
      while (own < RESENDS_MAX && Math.random() < loss) own++;
      resends = Math.max(resends, own);
    }
    return delayMillis + resends * 2 * delayMillis;
  }
}
