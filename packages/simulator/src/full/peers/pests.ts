/**
 * Peers that cost others something without claiming anything: some announce ever more things that nobody has, some announce
 * what honest peers are about to announce and answer nothing, some ask for more than anybody can send and come back under
 * other names from the same range of addresses.
 */
import {
  ANNOUNCED_BLOCKS_MAX,
  ANNOUNCED_TRANSACTIONS_MAX,
  type Connection,
  encodeAnnouncement,
  encodeFrame,
  encodeHeightRange,
  RELAY,
  RELAY_PROTOCOL,
  type SocketAddress,
  type Stream,
  SYNC,
  SYNC_PROTOCOL,
} from 'svc-network/peering';
import type { Random } from '../../base/random.ts';
import type { FullNode } from '../full-node.ts';
import { dial } from './stranger.ts';
import type { Wires } from './virtual-host.ts';

export interface PestPorts {
  readonly wires: Wires;
  readonly random: Random;
}

/** Something that honest peers have in a moment. */
export interface Announced {
  readonly transactions: readonly string[];
  readonly blocks: readonly string[];
}

const BACK_MS_MIN = 200;
const BACK_MS_MAX = 2_000;
const ID_DIGITS = 96;
/** More than the quota of a peer, as soon as it is there. */
const FLOOD_BURST = 12;
const FLOOD_EVERY_MS = 2_000;
/** Streams of one connection, and requests on each. */
const STREAMS = 2;
const REQUESTS = 3;
const STAY_MS_MIN = 500;
const STAY_MS_MAX = 4_000;
const HEADERS_ASKED = 64;
const BYTE_VALUES = 256;

export class Pests {
  readonly #ports: PestPorts;
  readonly #announcers = new Set<Stream>();
  #serial = 0;
  #ids = 0;

  constructor(ports: PestPorts) {
    this.#ports = ports;
  }

  /** One that floods a node with ids, now and whenever it was disconnected, under other names from one range. */
  flood(node: FullNode): void {
    const connection = this.#dial('flooder', 44, node, () => this.flood(node));
    if (connection !== undefined) void this.#flood(connection);
  }

  /** One that announces to a node whatever is about to be announced; each has a range of its own. */
  announceFirst(node: FullNode, range: number): void {
    const connection = this.#dial('announcer', 60 + range, node, () =>
      this.announceFirst(node, range),
    );
    if (connection !== undefined) void this.#listen(connection);
  }

  /** One that asks a node for more than it can send, and is soon there under another name. */
  reopen(node: FullNode): void {
    const { wires, random } = this.#ports;
    const connection = this.#dial('asker', 46, node, () => this.reopen(node));
    if (connection === undefined) return;
    for (let stream = 0; stream < STREAMS; stream++) void this.#ask(connection);
    wires.callLater(random.between(STAY_MS_MIN, STAY_MS_MAX), () =>
      connection.abort(new Error('comes back under another name')),
    );
  }

  /** Must be called before an honest peer can announce it. */
  announce(announced: Announced): void {
    const frame = encodeFrame(RELAY.announce, encodeAnnouncement(announced));
    for (const stream of this.#announcers)
      if (stream.status === 'open') stream.send(frame);
      else this.#announcers.delete(stream);
  }

  #dial(kind: string, range: number, node: FullNode, again: () => void): Connection | undefined {
    const { wires, random } = this.#ports;
    this.#serial += 1;
    const address: SocketAddress = {
      host: `${range}.0.${node.index}.${this.#serial % BYTE_VALUES}`,
      port: 1,
    };
    const name = `${kind} ${this.#serial}`;
    const connection = dial({ name, address }, node, wires);
    const backLater = (): void =>
      void wires.callLater(random.between(BACK_MS_MIN, BACK_MS_MAX), again);
    if (connection === undefined) backLater();
    else connection.addEventListener('close', backLater);
    return connection;
  }

  async #flood(connection: Connection): Promise<void> {
    const stream = await connection.newStream(RELAY_PROTOCOL);
    const send = (): void => {
      if (stream.status === 'open')
        stream.send(encodeFrame(RELAY.announce, encodeAnnouncement(this.#invented())));
    };
    for (let frame = 0; frame < FLOOD_BURST; frame++) send();
    const goOn = (): void => {
      if (connection.status !== 'open') return;
      send();
      this.#ports.wires.callLater(FLOOD_EVERY_MS, goOn);
    };
    this.#ports.wires.callLater(FLOOD_EVERY_MS, goOn);
  }

  #invented(): Announced {
    return {
      transactions: this.#inventedIds(ANNOUNCED_TRANSACTIONS_MAX),
      blocks: this.#inventedIds(ANNOUNCED_BLOCKS_MAX),
    };
  }

  #inventedIds(count: number): string[] {
    return Array.from({ length: count }, () => {
      this.#ids += 1;
      return this.#ids.toString(16).padStart(ID_DIGITS, '0');
    });
  }

  async #listen(connection: Connection): Promise<void> {
    this.#announcers.add(await connection.newStream(RELAY_PROTOCOL));
  }

  async #ask(connection: Connection): Promise<void> {
    const stream = await connection.newStream(SYNC_PROTOCOL);
    const request = encodeHeightRange({ from: 1, count: HEADERS_ASKED });
    for (let sent = 0; sent < REQUESTS; sent++) stream.send(encodeFrame(SYNC.getHeaders, request));
    // Whatever comes is answered with one request more.
    stream.addEventListener('message', () => {
      if (stream.status === 'open') stream.send(encodeFrame(SYNC.getHeaders, request));
    });
  }
}
