/**
 * What the miner has done, as the document of `GET /v1/stats` and as metrics: one set of figures for both and for
 * the screen.
 */
import type { Clock } from 'svc-base/pure';
import { RATE_WINDOWS_SECONDS } from '../devices/rate-meter.ts';
import type { Miner, Seat } from './miner.ts';

export interface StatisticsPorts {
  readonly miner: Miner;
  readonly clock: Clock;
  readonly release: string;
  readonly unanswered: () => number;
  /** Page of the paid address at the explorer of a node; null or absent if none is known. */
  readonly page?: string | null;
}

type Rates = readonly [number | null, number | null, number | null];

export interface StatisticsDocument {
  readonly api_version: 1;
  readonly release: string;
  readonly uptime_seconds: number;
  readonly algorithm: 'SVC_POW_V1';
  readonly is_paused: boolean;
  /** The page of the address that is paid, if `--explorer` names a node's page. */
  readonly page: string | null;
  readonly server: {
    readonly url: string | null;
    readonly is_connected: boolean;
    readonly losses: number;
    readonly latency_millis: number | null;
    readonly difficulty: string;
    readonly anchor_height: number | null;
    readonly period: number | null;
  };
  /** Hashes a second over 10 s, 60 s and 15 min; null until a window has passed. */
  readonly hashrate: { readonly total: Rates; readonly highest: number };
  readonly shares: {
    readonly accepted: number;
    readonly refused: number;
    readonly refusals: Readonly<Record<string, number>>;
    readonly given_up: number;
    /** Dropped finds: more than fit into a report of a device, or than may be sent to the server. */
    readonly without_room: number;
    readonly unanswered: number;
  };
  /** What became of shares that met the block target. */
  readonly blocks: Readonly<Record<string, number>>;
  readonly devices: readonly {
    readonly id: string;
    readonly name: string;
    readonly kind: 'cpu' | 'opencl';
    readonly state: string;
    readonly dataset_progress: number;
    readonly hashrate: Rates;
    readonly hashes: number;
    readonly wrong: number;
  }[];
}

/** Latencies of the newest answers. */
const LATENCIES_MAX = 64;
const NAMES_MAX = 32;

export class Statistics {
  readonly #ports: StatisticsPorts;
  readonly #startedAt: number;
  readonly #refusals = new Map<string, number>();
  readonly #blocks = new Map<string, number>();
  readonly #latencies: number[] = [];
  #server: string | null = null;
  #isConnected = false;
  #losses = 0;
  #accepted = 0;
  #refused = 0;
  #givenUp = 0;
  #crowded = 0;
  #difficulty = 0n;
  #anchorHeight: number | null = null;
  #highest = 0;

  constructor(ports: StatisticsPorts) {
    this.#ports = ports;
    this.#startedAt = ports.clock.monotonic();
    ports.miner.events.on((event) => {
      switch (event.type) {
        case 'open':
          this.#server = event.server;
          this.#isConnected = true;
          break;
        case 'lost':
          this.#isConnected = false;
          this.#losses++;
          break;
        case 'work':
          this.#difficulty = event.difficulty;
          this.#anchorHeight = event.work === undefined ? null : event.anchorHeight;
          break;
        case 'given_up':
          this.#givenUp++;
          break;
        case 'crowded':
          this.#crowded++;
          break;
        case 'answer':
          if (event.isAccepted) this.#accepted++;
          else this.#refused++;
          if (!event.isAccepted) count(this.#refusals, event.refusal ?? 'unknown');
          if (event.block !== undefined) count(this.#blocks, event.block);
          this.#latencies.push(event.millis);
          if (this.#latencies.length > LATENCIES_MAX) this.#latencies.shift();
          break;
        default:
      }
    });
  }

  get accepted(): number {
    return this.#accepted;
  }

  get refused(): number {
    return this.#refused;
  }

  document(): StatisticsDocument {
    const { miner, clock, release, unanswered, page = null } = this.#ports;
    const now = clock.monotonic();
    const uptime = (now - this.#startedAt) / 1_000;
    const total = sumOf(miner.seats, now, uptime);
    this.#highest = Math.max(this.#highest, total[0] ?? 0);
    return {
      api_version: 1,
      release,
      uptime_seconds: Math.floor(uptime),
      algorithm: 'SVC_POW_V1',
      is_paused: miner.isPaused,
      page,
      server: {
        url: this.#server,
        is_connected: this.#isConnected,
        losses: this.#losses,
        latency_millis: medianOf(this.#latencies),
        difficulty: this.#difficulty.toString(),
        anchor_height: this.#anchorHeight,
        period: miner.work?.period ?? null,
      },
      hashrate: { total, highest: this.#highest },
      shares: {
        accepted: this.#accepted,
        refused: this.#refused,
        refusals: Object.fromEntries(this.#refusals),
        given_up: this.#givenUp,
        without_room: miner.seats.reduce(
          (sum, { prospector }) => sum + prospector.lost,
          this.#crowded,
        ),
        unanswered: unanswered(),
      },
      blocks: Object.fromEntries(this.#blocks),
      devices: miner.seats.map((seat) => ({
        id: seat.device.id,
        name: seat.device.name,
        kind: seat.device.kind,
        state: seat.state,
        dataset_progress:
          seat.state === 'preparing' ? seat.progress : seat.readyPeriod === undefined ? 0 : 1,
        hashrate: ratesOf(seat, now, uptime),
        hashes: seat.prospector.meter.total,
        wrong: seat.prospector.wrong,
      })),
    };
  }
}

function ratesOf(seat: Seat, now: number, uptimeSeconds: number): Rates {
  const rate = (seconds: number): number | null =>
    uptimeSeconds < seconds ? null : Math.round(seat.prospector.meter.rate(seconds, now));
  const [short, middle, long] = RATE_WINDOWS_SECONDS;
  return [rate(short), rate(middle), rate(long)];
}

function sumOf(seats: readonly Seat[], now: number, uptimeSeconds: number): Rates {
  const all = seats.map((seat) => ratesOf(seat, now, uptimeSeconds));
  const sum = (window: 0 | 1 | 2): number | null =>
    all.length === 0 || all[0]?.[window] === null
      ? null
      : all.reduce((total, rates) => total + (rates[window] ?? 0), 0);
  return [sum(0), sum(1), sum(2)];
}

function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[sorted.length >> 1];
  return middle === undefined ? null : Math.round(middle);
}

/** Counts by name; a server cannot make the table grow without bound. */
function count(table: Map<string, number>, name: string): void {
  const key = table.has(name) || table.size < NAMES_MAX ? name : 'other';
  table.set(key, (table.get(key) ?? 0) + 1);
}
