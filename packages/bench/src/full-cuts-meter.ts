/**
 * Watches a network under load: its cuts, the steps of each, the event loop, processor time and memory.
 */
import { cpus } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { dueMillis, type EconomyRecord, SINGLE_KEY } from 'svc-ledger';
import type { DevNetwork } from 'svc-node/dev';
import type { FinalizedCut } from 'svc-serve/ports';

export type Chain = DevNetwork['node']['composed']['core']['chain'];

export interface CutSample {
  readonly height: number;
  readonly registered: number;
  readonly paid: number;
  /** When the cut was made final, and how long after its due time its proposer built it. */
  readonly atMillis: number;
  readonly lateMillis: number;
}

export interface Usage {
  readonly elapsedMillis: number;
  readonly mainMillis: number;
  /** Processor time of all threads of the process. */
  readonly allMillis: number;
  /** What everything on the machine used. */
  readonly machineMillis: number;
  readonly residentBytes: readonly [start: number, end: number];
}

export type Step = 'build' | 'evaluate' | 'read ahead' | 'commit';

const LOOP_RESOLUTION_MILLIS = 5;

function machineMillis(): number {
  return cpus().reduce(
    (sum, { times }) => sum + times.user + times.nice + times.sys + times.irq,
    0,
  );
}

function millisOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e3;
}

export class Meter {
  readonly cuts: CutSample[] = [];
  readonly steps = new Map<Step, number[]>();
  readonly loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MILLIS });
  readonly #chain: Chain;
  #start = {
    at: 0,
    main: process.threadCpuUsage(),
    all: process.cpuUsage(),
    machine: 0,
    resident: 0,
  };

  constructor(chain: Chain) {
    this.#chain = chain;
    this.#time('build', chain, 'build');
    this.#time('evaluate', chain, 'evaluate');
    this.#time('read ahead', chain.store, 'prepare');
    this.#time('commit', chain.store, 'commit');
  }

  /** Forgets what was before. */
  begin(): void {
    this.cuts.length = 0;
    this.steps.clear();
    this.loop.enable();
    this.loop.reset();
    this.#start = {
      at: performance.now(),
      main: process.threadCpuUsage(),
      all: process.cpuUsage(),
      machine: machineMillis(),
      resident: process.memoryUsage.rss(),
    };
  }

  note(cut: FinalizedCut): void {
    const { height, input, result } = cut;
    this.cuts.push({
      height,
      registered: input.registered.length,
      paid: result.events.outcomes.filter(({ kind }) => kind === 'finalized').length,
      atMillis: performance.now(),
      lateMillis: latenessOf(this.#chain, cut),
    });
  }

  end(): Usage {
    this.loop.disable();
    const { at, main, all, machine, resident } = this.#start;
    return {
      elapsedMillis: performance.now() - at,
      mainMillis: millisOf(process.threadCpuUsage(main)),
      allMillis: millisOf(process.cpuUsage(all)),
      machineMillis: machineMillis() - machine,
      residentBytes: [resident, process.memoryUsage.rss()],
    };
  }

  /** From the call to its answer, with the time that it waits for earlier calls. */
  #time<Name extends string>(
    step: Step,
    target: Record<Name, (...parameters: never[]) => Promise<unknown>>,
    name: Name,
  ): void {
    const run = target[name].bind(target) as (...parameters: unknown[]) => Promise<unknown>;
    const timed = async (...parameters: unknown[]): Promise<unknown> => {
      const start = performance.now();
      try {
        return await run(...parameters);
      } finally {
        const times = this.steps.get(step) ?? [];
        this.steps.set(step, [...times, performance.now() - start]);
      }
    };
    Object.defineProperty(target, name, { value: timed });
  }
}

/** How long after its time the newest cut was built. */
export function latenessOf({ view }: Chain, { height, input }: FinalizedCut): number {
  const economy = view.get('economy', SINGLE_KEY) as EconomyRecord;
  return input.timeMillis - dueMillis(economy, height);
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
