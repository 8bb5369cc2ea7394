/**
 * Peers that claim heights and prove none: they are silent, say that they have nothing, send an answer byte by byte,
 * leave before they can be asked, or come for moments only, again and again. Whoever is disconnected comes back under another name and claims more.
 */
import {
  type Connection,
  END,
  encodeFrame,
  encodeTip,
  RELAY,
  RELAY_PROTOCOL,
  type Stream,
  SYNC,
  SYNC_PROTOCOL,
} from 'svc-network/peering';
import type { Random } from '../../base/random.ts';
import type { FullNode } from '../full-node.ts';
import { dial } from './stranger.ts';
import type { Wires } from './virtual-host.ts';

export interface LiarPorts {
  readonly wires: Wires;
  readonly random: Random;
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
export type Manner = (typeof MANNERS)[number] | 'flitting';
/** Those who leave by themselves. */
const STAYS: Partial<Record<Manner, readonly [number, number]>> = {
  fleeing: [STAY_MS_MIN, STAY_MS_MAX],
  flitting: [FLIT_MS_MIN, FLIT_MS_MAX],
};
const AWAY_MS_MAX: Partial<Record<Manner, number>> = {
  fleeing: FLED_MS_MAX,
  flitting: FLITTED_MS_MAX,
};

export class Liars {
  readonly #ports: LiarPorts;
  #serial = 0;

  constructor(ports: LiarPorts) {
    this.#ports = ports;
  }

  /** One liar dials a node, now and whenever it was disconnected. Most keep to their manner. */
  besiege(node: FullNode, manner: Manner = this.#ports.random.pick(MANNERS)): void {
    const { wires, random } = this.#ports;
    const again = (): void => {
      const most = AWAY_MS_MAX[manner] ?? BACK_MS_MAX;
      const delayMs = random.between(BACK_MS_MIN, most);
      wires.callLater(delayMs, () => this.besiege(node, manner));
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
    const outbound = dial({ name: `liar ${this.#serial}`, claims: { tip }, answers }, node, wires);
    outbound?.addEventListener('close', again);
    if (outbound !== undefined) void this.#claim(outbound, tip);
    const stay = STAYS[manner];
    if (stay !== undefined)
      wires.callLater(random.between(...stay), () =>
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
    this.#ports.wires.callLater(DRIP_MS, () => this.#drip(stream, bytes.subarray(1)));
  }
}
