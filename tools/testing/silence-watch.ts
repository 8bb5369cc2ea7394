/**
 * Watches the process of a group of tests: when no test of it has begun or ended for a while, the running one is
 * reported, and when that is longer than any test may take, the process is ended. The limit of a test ends one that
 * waits; this watch ends a process that computes without end. The time in which the process was ready and had no
 * processor is not its own: five processes on one core have a fifth of it each, and one that computes for a minute
 * needs five.
 */
import type { ChildProcess } from 'node:child_process';
import { openTests, readRecords } from './test-record.ts';

export interface TestLimits {
  /** A test may take no longer, on a machine however busy: one that does fails, and the next begins. */
  readonly testMillis: number;
  /** How long nothing may begin or end before it is reported. */
  readonly tellMillis: number;
  /** From the limit of a test to asking its process to end, and from there to ending it. */
  readonly graceMillis: number;
}

export interface SilenceWatchPorts {
  readonly title: string;
  /** The file of the process's records. */
  readonly records: string;
  readonly child: Pick<ChildProcess, 'kill'>;
  /** How long the process has waited for a processor since it began. */
  starvedMillis(): number;
  tell(line: string): void;
}

export class SilenceWatch {
  readonly #ports: SilenceWatchPorts;
  readonly #limits: TestLimits;
  #records = 0;
  #changedAt: number;
  /** How long the process had waited for a processor when something began or ended last. */
  #starvedBefore = 0;
  #toldAt: number;

  constructor(ports: SilenceWatchPorts, limits: TestLimits, nowMillis: number) {
    this.#ports = ports;
    this.#limits = limits;
    this.#changedAt = this.#toldAt = nowMillis;
  }

  /** Called every now and then. */
  look(nowMillis: number): void {
    const { child, records: path, tell, title } = this.#ports;
    const starvedMillis = this.#ports.starvedMillis();
    const records = readRecords(path);
    if (records.length !== this.#records) {
      this.#records = records.length;
      this.#changedAt = this.#toldAt = nowMillis;
      this.#starvedBefore = starvedMillis;
      return;
    }
    const { graceMillis, tellMillis, testMillis } = this.#limits;
    const silentMillis = nowMillis - this.#changedAt;
    const running = openTests(records).at(-1);
    const what = running === undefined ? 'no test' : `${running.file}: ${running.name}`;
    if (nowMillis - this.#toldAt >= tellMillis) {
      this.#toldAt = nowMillis;
      tell(`${title}: no progress for ${Math.round(silentMillis / 1_000)} s; running: ${what}`);
    }
    const ownMillis = silentMillis - (starvedMillis - this.#starvedBefore);
    if (ownMillis >= testMillis + 2 * graceMillis) child.kill('SIGKILL');
    else if (ownMillis >= testMillis + graceMillis) child.kill('SIGTERM');
  }
}
