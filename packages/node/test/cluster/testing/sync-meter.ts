/**
 * What a node uses while it catches up: processor time of its own process alone, by thread, for each payment and cut.
 * Servers may run on the same processors: they slow the clock on the wall and are in none of these figures.
 */
import { processorSecondsOf, type ThreadSeconds, threadSecondsOf } from './usage.ts';

/** Processors of the machine that the figures are promised for. */
const PROCESSORS = 2;
const MICROS = 1e6;
/** Threads that used less than this are told together. */
const NAMED_MICROS_MIN = 1;

/** A process that may be started later than its meter is made. */
interface Measured {
  readonly processId: number | undefined;
}

interface Reading {
  readonly height: number;
  readonly atMillis: number;
  readonly all: number;
  readonly threads: ThreadSeconds;
}

export class SyncMeter {
  readonly #node: Measured;
  readonly #readings: Reading[] = [];

  constructor(node: Measured) {
    this.#node = node;
  }

  /** Call with each height that is new; what was used before the first is not counted. */
  note(height: number): void {
    const { processId } = this.#node;
    const all = processorSecondsOf(processId);
    const threads = threadSecondsOf(processId);
    this.#readings.push({ height, atMillis: performance.now(), all, threads });
  }

  /** Lines about the whole of it, in which the engine still compiles, and about its second half. */
  report(paymentsPerCut: number): readonly string[] {
    const last = this.#readings.at(-1);
    const [first] = this.#readings;
    if (last === undefined || first === undefined || first === last)
      return ['nothing was measured'];
    const middle = (first.height + last.height) / 2;
    const half = this.#readings.find(({ height }) => height >= middle) ?? first;
    return [
      ...between(first, last, paymentsPerCut),
      ...(half === last ? [] : between(half, last, paymentsPerCut)),
    ];
  }
}

function between(from: Reading, to: Reading, paymentsPerCut: number): readonly string[] {
  const cuts = to.height - from.height;
  const units = paymentsPerCut === 0 ? cuts : cuts * paymentsPerCut;
  const micros = (before: number, after: number): number => ((after - before) * MICROS) / units;
  const main = micros(from.threads.main, to.threads.main);
  const all = micros(from.all, to.all);
  const others = [...to.threads.others]
    .map(([name, seconds]) => [name, micros(from.threads.others.get(name) ?? 0, seconds)] as const)
    .filter(([, used]) => used >= NAMED_MICROS_MIN)
    .sort(([, one], [, other]) => other - one);
  const busiest = Math.max(main, ...others.map(([, used]) => used));
  const rate = MICROS / Math.max(busiest, all / PROCESSORS);
  const walled = (1_000 * units) / (to.atMillis - from.atMillis);
  const unit = paymentsPerCut === 0 ? 'cut' : 'payment';
  const perCut = paymentsPerCut === 0 ? '' : ` (${cutsOf(rate, paymentsPerCut)} cuts/s)`;
  return [
    `cuts ${from.height} to ${to.height}, ${cuts * paymentsPerCut} payments; microseconds of the newcomer's processor a ${unit}:`,
    `  main thread ${main.toFixed(0)}, all threads ${all.toFixed(0)}; ${others.map(([name, used]) => `${name} ${used.toFixed(0)}`).join(', ')}`,
    `  with the servers elsewhere, on ${PROCESSORS} processors: ${rate.toFixed(0)} ${unit}s/s${perCut}; here and now ${walled.toFixed(0)}`,
  ];
}

function cutsOf(payments: number, paymentsPerCut: number): string {
  return (payments / paymentsPerCut).toFixed(0);
}
