/**
 * The wires: delay with a tail, loss, duplication, clogged links, partitions, and validators that
 * reach each other only through two neighbours.
 */
import type { Random } from '../base/random.ts';
import type { Plan } from '../plan/plan.ts';

const TAIL_MS_MAX = 3_000;
const CLOG_MS_MAX = 5_000;
/** The longest mean delay once everything has healed. */
const HEALED_MEAN_MS_MAX = 60;
const LIAR_FORWARDS_RATE = 0.5;
/** Relays between two validators without a route, and copies that one hop makes of a message. */
const RELAYS = 2;
const HOP_COPIES_MAX = 2;

type CutOffWay = 'outgoing' | 'both';

interface CutOff {
  readonly index: number;
  readonly way: CutOffWay;
}

export class Network {
  readonly #plan: Plan;
  readonly #random: Random;
  readonly #isUp: (index: number) => boolean;
  readonly #clogs = new Map<number, number>();
  /** The side of each validator while a partition lasts. */
  #sides: readonly number[] | undefined;
  #oneWay = false;
  /** An honest validator that liars keep apart from the other honest ones, and in which direction. */
  #cutOff: CutOff | undefined;
  #healed = false;
  /** When the copies of the message that was sent last arrive, and those that reached a relay. */
  readonly #delays = new Float64Array(RELAYS * HOP_COPIES_MAX * HOP_COPIES_MAX);
  readonly #atRelay = new Float64Array(HOP_COPIES_MAX);
  /** Who hands each of those copies over. */
  readonly #carriers = new Int32Array(RELAYS * HOP_COPIES_MAX * HOP_COPIES_MAX);

  constructor(plan: Plan, random: Random, isUp: (index: number) => boolean) {
    this.#isUp = isUp;
    this.#plan = plan;
    this.#random = random;
  }

  /** Liars let nothing pass from an honest validator to the others, or neither way, until the network heals. */
  cutOff(index: number, way: CutOffWay): void {
    this.#cutOff = { index, way };
  }

  heal(): void {
    this.#healed = true;
    this.#sides = undefined;
    this.#clogs.clear();
  }

  /** Draws a new partition or ends the running one. */
  changePartition(): void {
    const { partition, validators } = this.#plan;
    const ended = this.#sides !== undefined || partition === 'none';
    this.#oneWay = partition === 'oneWay';
    const isolated = this.#random.integer(0, validators - 1);
    const sides = Array.from({ length: validators }, (_, index) =>
      partition === 'isolated' ? Number(index === isolated) : this.#random.integer(0, 1),
    );
    this.#sides = ended ? undefined : sides;
  }

  /** How many copies of a message arrive; none if it is lost. `delayOf` tells when, until the next message. */
  copies(from: number, to: number, now: number): number {
    if (this.isDirect(from, to)) {
      this.#carriers.fill(from);
      return this.#hop(from, to, now, this.#delays, 0);
    }
    let count = 0;
    for (const relay of this.#relaysOf(from, to)) {
      if (!this.#forwards(relay)) continue;
      const forwarded = this.#hop(from, relay, now, this.#atRelay, 0);
      for (let copy = 0; copy < forwarded; copy++) {
        const first = this.#atRelay[copy] as number;
        const end = count + this.#hop(relay, to, now + first, this.#delays, count);
        this.#carriers.fill(relay, count, end);
        for (; count < end; count++) this.#delays[count] = first + (this.#delays[count] as number);
      }
    }
    return count;
  }

  /** The delay after which a copy of the message that was sent last arrives. */
  delayOf(copy: number): number {
    return this.#delays[copy] as number;
  }

  /** The neighbour of the receiver that hands a copy of that message over. */
  carrierOf(copy: number): number {
    return this.#carriers[copy] as number;
  }

  /** A relay that is down forwards nothing, one that lies forwards what it likes. */
  #forwards(relay: number): boolean {
    if (!this.#isUp(relay)) return false;
    return !this.#plan.byzantine.has(relay) || this.#random.chance(LIAR_FORWARDS_RATE);
  }

  /** Two validators without a route of their own cannot connect to each other. */
  isDirect(from: number, to: number): boolean {
    const { unrouted } = this.#plan;
    return !(unrouted.has(from) && unrouted.has(to));
  }

  /** Whether a partition lets bytes pass; always after healing. */
  isOpen(from: number, to: number): boolean {
    return this.#healed || !this.#isCut(from, to);
  }

  hopsOf(from: number, to: number): number {
    return this.isDirect(from, to) ? 1 : 2 * this.#relaysOf(from, to).length;
  }

  #relaysOf(from: number, to: number): number[] {
    const { validators, unrouted } = this.#plan;
    const relays: number[] = [];
    for (let step = 0; step < validators && relays.length < RELAYS; step++) {
      const relay = (from * 7 + to * 13 + step) % validators;
      if (relay !== from && relay !== to && !unrouted.has(relay)) relays.push(relay);
    }
    return relays;
  }

  /** Writes the delays of the copies that one hop makes, and answers how many there are. */
  #hop(from: number, to: number, now: number, delays: Float64Array, at: number): number {
    const { delayMsMin, delayMeanMs, lossRate, duplicationRate, tailRate, clogRate } = this.#plan;
    const random = this.#random;
    if (this.#healed) {
      delays[at] = delayMsMin + random.exponential(Math.min(delayMeanMs, HEALED_MEAN_MS_MAX));
      return 1;
    }
    if (this.#isCut(from, to) || random.chance(lossRate)) return 0;
    let delay = delayMsMin + random.exponential(delayMeanMs);
    if (random.chance(tailRate)) delay += random.between(0, TAIL_MS_MAX);
    delay += this.#clogged(from, to, now, clogRate);
    delays[at] = delay;
    if (!random.chance(duplicationRate)) return 1;
    delays[at + 1] = delay + random.exponential(5 * delayMeanMs);
    return 2;
  }

  #isCut(from: number, to: number): boolean {
    if (this.#cutOff !== undefined && this.#isCutOff(from, to, this.#cutOff)) return true;
    if (this.#sides === undefined) return false;
    const a = this.#sides[from] as number;
    const b = this.#sides[to] as number;
    return this.#oneWay ? a > b : a !== b;
  }

  #isCutOff(from: number, to: number, { index, way }: CutOff): boolean {
    if (from !== index && (to !== index || way === 'outgoing')) return false;
    const { byzantine } = this.#plan;
    return !byzantine.has(from) && !byzantine.has(to);
  }

  #clogged(from: number, to: number, now: number, clogRate: number): number {
    if (clogRate === 0) return 0;
    const link = from * this.#plan.validators + to;
    const until = this.#clogs.get(link) ?? 0;
    if (until > now) return until - now;
    if (this.#random.chance(clogRate))
      this.#clogs.set(link, now + this.#random.between(0, CLOG_MS_MAX));
    return 0;
  }
}
