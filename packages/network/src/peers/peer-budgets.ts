/**
 * What each peer may ask for and be sent. Budgets belong to the origin of a peer, not to its stream or connection:
 * another stream, a new connection or another name continues with what was left. All answers together stay within the
 * upload limit of the operator, of which the relay has what it needs and sync the rest.
 */
import { type Clock, type Rate, TokenBucket } from 'svc-base/pure';
import { originOf } from '../base/addresses.ts';
import { FairLimit } from '../base/fair-limit.ts';
import { Remembered } from '../base/remembered.ts';
import { Semaphore } from '../base/semaphore.ts';
import { Budget, type BudgetRates } from '../wire/budget.ts';
import type { Peer } from './peer.ts';
import { Serving, type Upload } from './serving.ts';

export interface PeerBudgetsOptions {
  readonly clock: Clock;
  /** Bytes a second of all answers together; 0 for no limit. */
  readonly uploadBytesPerSecond: number;
}

/** Urgent answers, such as new blocks, go before answers to peers that catch up. */
export type Urgency = 'urgent' | 'patient';

export interface Service {
  readonly protocol: string;
  /** What an origin may be served over the protocol. */
  readonly rate: Rate;
  readonly urgency: Urgency;
}

/** The most budgets that are kept; those that were not used for the longest go first. */
const BUDGETS_MAX = 8_192;
/** As many as an origin may have connections: each honest one has one request in work. */
const IN_WORK_MAX = 4;

interface Served {
  readonly bucket: TokenBucket;
  readonly places: Semaphore;
}

export class PeerBudgets {
  readonly #clock: Clock;
  readonly #uploads: Readonly<Record<Urgency, Upload>> | undefined;
  readonly #requests = new Remembered<Budget>(BUDGETS_MAX);
  readonly #served = new Remembered<Served>(BUDGETS_MAX);

  constructor({ clock, uploadBytesPerSecond: perSecond }: PeerBudgetsOptions) {
    this.#clock = clock;
    this.#uploads = perSecond === 0 ? undefined : uploadsOf(perSecond, clock);
  }

  /** The budget of what a peer sends over a protocol. */
  requestsOf(peer: Peer, protocol: string, rates: BudgetRates): Budget {
    const create = (): Budget => new Budget(rates, () => this.#clock.monotonic());
    return this.#requests.getOrCreate(`${originOf(peer)} ${protocol}`, create);
  }

  /** What a stream of a peer may be served until it is gone. */
  serving(peer: Peer, { protocol, rate, urgency }: Service, gone: AbortSignal): Serving {
    const clock = this.#clock;
    const origin = originOf(peer);
    const { bucket, places } = this.#served.getOrCreate(`${origin} ${protocol}`, () => ({
      bucket: new TokenBucket(rate, clock.monotonic()),
      places: new Semaphore(IN_WORK_MAX),
    }));
    const upload = this.#uploads?.[urgency];
    return new Serving({ clock, origin, served: bucket, places, upload, gone });
  }
}

function uploadsOf(perSecond: number, clock: Clock): Record<Urgency, Upload> {
  const rate = { perSecond, burst: perSecond };
  const [urgent, patient] = [new FairLimit(rate, clock), new FairLimit(rate, clock)];
  return { urgent: { limit: urgent, behind: [patient] }, patient: { limit: patient, behind: [] } };
}
