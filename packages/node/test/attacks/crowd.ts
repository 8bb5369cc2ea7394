/**
 * The connections of one attacker: so many at the same time from one loopback address, each that was ended replaced by
 * another one. It stops when it is told to, and opens so many connections in all at most.
 */
import { connect, type Socket } from 'node:net';
import type { Attack } from './attacks.ts';

export interface CrowdOptions {
  readonly port: number;
  /** The loopback address that the connections come from. */
  readonly from: string;
  /** Connections at the same time. */
  readonly size: number;
  /** Connections in all. */
  readonly openedMax: number;
}

const RETRY_MILLIS = 5;

export class Crowd {
  readonly #attack: Attack;
  readonly #options: CrowdOptions;
  readonly #words: Buffer;
  readonly #sockets = new Set<Socket>();
  #stopped = false;
  /** Connections that were opened, the first ones included. */
  opened = 0;

  constructor(attack: Attack, options: CrowdOptions) {
    this.#attack = attack;
    this.#options = options;
    this.#words = Buffer.from(attack.words, 'latin1');
    for (let index = 0; index < options.size; index++) this.#open();
  }

  stop(): void {
    this.#stopped = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(): void {
    const { port, from, openedMax } = this.#options;
    if (this.#stopped || this.opened === openedMax) return;
    this.opened++;
    const socket = connect({ host: '127.0.0.1', port, localAddress: from });
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('connect', () => {
      if (this.#words.length > 0) socket.write(this.#words);
    });
    if (this.#attack.readsNothing === true) socket.pause();
    else socket.on('data', () => this.#attack.repeats === true && socket.write(this.#words));
    socket.once('close', () => {
      this.#sockets.delete(socket);
      setTimeout(() => this.#open(), RETRY_MILLIS);
    });
  }
}
