/**
 * Peers that are no honest nodes: liars claim heights and prove none, pests cost others something without claiming anything.
 */
import {
  ANNOUNCED_BLOCKS_MAX,
  ANNOUNCED_TRANSACTIONS_MAX,
  type Connection,
  END,
  encodeAnnouncement,
  encodeFrame,
  encodeHeightRange,
  encodeTip,
  RELAY,
  RELAY_PROTOCOL,
  type SocketAddress,
  type Stream,
  SYNC,
  SYNC_PROTOCOL,
} from 'svc-network/peering';
import type { Random } from '../base/random.ts';
import type { FullNode } from './full-node.ts';
import type { Hello } from './node-peers.ts';
import { connect, VirtualHost, type Wires } from './virtual-host.ts';

interface Stranger {
  readonly name: string;
  /** Undefined for one that comes from somewhere else each time. */
  readonly address?: SocketAddress;
  /** What it says instead of what the node says itself. */
  readonly claims?: Partial<Hello>;
  /** Answers a stream that the node opens; a stream of another protocol is refused. */
  readonly answers?: Readonly<Record<string, (stream: Stream) => void>>;
}

/** The stranger's end of the connection; undefined if the node is down or refuses its address. */
export function dial(stranger: Stranger, node: FullNode, wires: Wires): Connection | undefined {
  const { name, address, claims, answers = {} } = stranger;
  const { peers } = node;
  if (!node.isUp || peers === undefined) return undefined;
  if (address !== undefined && peers.bans.isHostBanned(address.host)) return undefined;
  const host = new VirtualHost(name);
  for (const [protocol, answer] of Object.entries(answers)) host.handle(protocol, answer);
  const [outbound, inbound] = connect(host, peers.host, wires);
  peers.join(inbound, { ...peers.hello, ...claims }, address);
  return outbound;
}

const NOTHING = new Uint8Array(0);
const CLAIM_CUTS = 1_000;
const BACK_MS_MIN = 200;
const BACK_MS_MAX = 2_000;
const DRIP_MS = 2_000;
const DRIP_BYTES = 200;
/** A liar that flees leaves before its silence counts against it, and is back soon. */
const STAY_MS_MIN = 50;
const STAY_MS_MAX = 4_500;
const FLED_MS_MAX = 400;
/** A liar that flits is there for a small part of the time, long enough to be seen in each second. */
const FLIT_MS_MIN = 105;
const FLIT_MS_MAX = 150;
const FLITTED_MS_MAX = 800;
const MANNERS = ['silent', 'empty', 'dripping', 'fleeing', 'fleeing'] as const;
type Manner = (typeof MANNERS)[number] | 'flitting';
/** Those who leave by themselves. */
const STAYS: Partial<Record<Manner, readonly [number, number]>> = {
  fleeing: [STAY_MS_MIN, STAY_MS_MAX],
  flitting: [FLIT_MS_MIN, FLIT_MS_MAX],
};
const AWAY_MS_MAX: Partial<Record<Manner, number>> = {
  fleeing: FLED_MS_MAX,
  flitting: FLITTED_MS_MAX,
};

/**
 * Peers that claim heights and prove none: they are silent, say that they have nothing, send an answer byte by byte,
 * leave before they can be asked, or come for moments only, again and again. One that is disconnected comes back under another name and claims more.
 */
export class Liars {
  readonly #wires: Wires;
  readonly #random: Random;
  #serial = 0;

  constructor(wires: Wires, random: Random) {
    this.#wires = wires;
    this.#random = random;
  }

  /** One liar dials a node, now and whenever it was disconnected. Most keep to their manner. */
  besiege(node: FullNode, manner: Manner = this.#random.pick(MANNERS)): void {
    const again = (): void => {
      const most = AWAY_MS_MAX[manner] ?? BACK_MS_MAX;
      const delayMs = this.#random.between(BACK_MS_MIN, most);
      this.#wires.callLater(delayMs, () => this.besiege(node, manner));
    };
    const { peers } = node;
    if (!node.isUp || peers === undefined) {
      again();
      return;
    }
    this.#serial += 1;
    const { height, cutId } = peers.hello.tip;
    const tip = { height: height + CLAIM_CUTS * this.#serial, cutId };
    const answers = { [SYNC_PROTOCOL]: (stream: Stream) => this.#answer(stream, manner) };
    const outbound = dial(
      { name: `liar ${this.#serial}`, claims: { tip }, answers },
      node,
      this.#wires,
    );
    outbound?.addEventListener('close', again);
    if (outbound !== undefined) void this.#claim(outbound, tip);
    const stay = STAYS[manner];
    if (stay !== undefined)
      this.#wires.callLater(this.#random.between(...stay), () =>
        outbound?.abort(new Error('about to be asked')),
      );
  }

  async #claim(connection: Connection, tip: Parameters<typeof encodeTip>[0]): Promise<void> {
    const stream = await connection.newStream(RELAY_PROTOCOL);
    const { height, cutId } = tip;
    stream.send(encodeFrame(RELAY.cut, encodeTip({ height: height + CLAIM_CUTS, cutId })));
  }

  #answer(stream: Stream, manner: Manner): void {
    if (manner !== 'empty' && manner !== 'dripping') return;
    stream.addEventListener('message', () => {
      if (manner === 'empty') stream.send(encodeFrame(END, NOTHING));
      else this.#drip(stream, encodeFrame(SYNC.headers, new Uint8Array(DRIP_BYTES)));
    });
  }

  #drip(stream: Stream, bytes: Uint8Array): void {
    if (stream.status !== 'open' || bytes.length === 0) return;
    stream.send(bytes.subarray(0, 1));
    this.#wires.callLater(DRIP_MS, () => this.#drip(stream, bytes.subarray(1)));
  }
}

/** Something that honest peers have in a moment. */
interface Announced {
  readonly transactions: readonly string[];
  readonly blocks: readonly string[];
}

const ID_DIGITS = 96;
/** More than the quota of a peer, as soon as it is there. */
const FLOOD_BURST = 12;
const FLOOD_EVERY_MS = 2_000;
/** Streams of one connection, and requests on each. */
const STREAMS = 2;
const REQUESTS = 3;
const ASKER_STAY_MS_MIN = 500;
const ASKER_STAY_MS_MAX = 4_000;
const HEADERS_ASKED = 64;
const BYTE_VALUES = 256;

/**
 * Peers that cost others something without claiming anything: some announce ever more things that do not exist, some announce
 * what honest peers are about to announce and answer nothing, some ask for more than a node can send and come back under
 * other names from the same range of addresses.
 */
export class Pests {
  readonly #wires: Wires;
  readonly #random: Random;
  readonly #announcers = new Set<Stream>();
  #serial = 0;
  #ids = 0;

  constructor(wires: Wires, random: Random) {
    this.#wires = wires;
    this.#random = random;
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
    const connection = this.#dial('asker', 46, node, () => this.reopen(node));
    if (connection === undefined) return;
    for (let stream = 0; stream < STREAMS; stream++) void this.#ask(connection);
    this.#wires.callLater(this.#random.between(ASKER_STAY_MS_MIN, ASKER_STAY_MS_MAX), () =>
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
    this.#serial += 1;
    const address: SocketAddress = {
      host: `${range}.0.${node.index}.${this.#serial % BYTE_VALUES}`,
      port: 1,
    };
    const name = `${kind} ${this.#serial}`;
    const connection = dial({ name, address }, node, this.#wires);
    const backLater = (): void =>
      void this.#wires.callLater(this.#random.between(BACK_MS_MIN, BACK_MS_MAX), again);
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
      this.#wires.callLater(FLOOD_EVERY_MS, goOn);
    };
    this.#wires.callLater(FLOOD_EVERY_MS, goOn);
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
