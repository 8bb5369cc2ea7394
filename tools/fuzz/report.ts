/**
 * What the fuzzer prints: progress while it runs, a line for each target, a closing line.
 */
import type { FuzzReport } from './fuzz-target.ts';

const PROGRESS_MS = 5000;
/** The module holds no more than its kernel; the rest is the corpus and garbage. */
const RESIDENT_BYTES_MAX = 1 << 30;

const COLUMNS = ['target', 'executions', 'per second', 'accepted', 'answers', 'slowest ms'];
const WIDTHS = [28, 12, 12, 10, 9, 12];

function row(cells: readonly string[]): string {
  return cells
    .map((cell, i) =>
      i === 0 ? cell.padEnd(WIDTHS[i] as number) : cell.padStart(WIDTHS[i] as number),
    )
    .join('');
}

function perSecond(executions: number, milliseconds: number): string {
  return Math.round((1000 * executions) / Math.max(1, milliseconds)).toLocaleString('en');
}

export function header(): string {
  return row(COLUMNS);
}

export function line(report: FuzzReport): string {
  return row([
    report.target,
    report.executions.toLocaleString('en'),
    perSecond(report.executions, report.milliseconds),
    report.accepted.toLocaleString('en'),
    String(report.answers),
    report.slowestMilliseconds.toFixed(1),
  ]);
}

export function summary(reports: readonly FuzzReport[]): string {
  const executions = reports.reduce((sum, report) => sum + report.executions, 0);
  const milliseconds = reports.reduce((sum, report) => sum + report.milliseconds, 0);
  const resident = Math.round(process.memoryUsage().rss / (1 << 20));
  return `${executions.toLocaleString('en')} executions in ${(milliseconds / 1000).toFixed(1)} s, ${perSecond(executions, milliseconds)} per second; ${resident} MiB resident; no findings`;
}

/** Reports when more memory is in use than the module could need. */
export function memoryFault(): string | undefined {
  const resident = process.memoryUsage().rss;
  if (resident <= RESIDENT_BYTES_MAX) return undefined;
  return `memory grew to ${resident} bytes, expected at most ${RESIDENT_BYTES_MAX}`;
}

/** Prints, to stderr and not too often, how far a target has come. */
export function progress(name: string, executions: number): (done: number) => void {
  const start = performance.now();
  let last = start;
  return (done) => {
    const now = performance.now();
    if (now - last < PROGRESS_MS) return;
    last = now;
    const percent = Math.floor((100 * done) / executions);
    process.stderr.write(`  ${name}: ${percent} %, ${perSecond(done, now - start)} per second\n`);
  };
}
