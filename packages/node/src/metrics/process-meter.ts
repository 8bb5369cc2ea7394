/**
 * How the process itself does: late timers, memory, processor time.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { LAG_QUANTILES } from './catalogue.ts';
import type { Instruments } from './instruments.ts';

const RESOLUTION_MILLIS = 10;
const NANOS_PER_SECOND = 1e9;
const MICROS_PER_SECOND = 1e6;

export class ProcessMeter {
  #delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

  start(): void {
    this.#delay ??= monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS });
    this.#delay.enable();
  }

  close(): void {
    this.#delay?.disable();
    this.#delay = undefined;
  }

  /** Writes the figures; delays are counted from the last reading on. */
  read(to: Instruments): void {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const { user, system } = process.cpuUsage();
    to.set('svc_node_heap_used_bytes', used);
    to.set('svc_node_heap_limit_bytes', limit);
    to.set('svc_node_resident_bytes', process.memoryUsage.rss());
    to.set('svc_node_cpu_seconds_total', (user + system) / MICROS_PER_SECOND);
    if (this.#delay === undefined || this.#delay.count === 0) return;
    for (const quantile of LAG_QUANTILES) {
      const late = this.#delay.percentile(Number(quantile) * 100) / NANOS_PER_SECOND;
      to.set('svc_node_event_loop_lag_seconds', Math.max(0, late - RESOLUTION_MILLIS / 1_000), {
        quantile,
      });
    }
    this.#delay.reset();
  }
}
