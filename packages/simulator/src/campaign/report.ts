/**
 * A campaign as a table a person can read.
 */
import type { CampaignTotals } from './campaign.ts';

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
/** The counts of all levels, in the order of the table; a level has some of them. */
const LABELS = {
  abandoned: 'given up: more than is promised for',
  events: 'events',
  heights: 'heights decided by all that stay',
  blocksMined: 'blocks mined',
  rotations: 'consensus keys rotated',
  crashes: 'crashes',
  powerCuts: 'power cuts',
  clockJumps: 'jumps of wall clocks',
  equivocations: 'equivocations seen by honest nodes',
  offencesProven: 'offences proven in the chain',
  states: 'states explored',
  signatures: 'signatures of the signer',
  refusals: 'refusals of the signer',
  takeOvers: 'leases taken over in time',
  convicted: 'twins convicted',
} as const;
const SLOWEST = {
  slowestArrivalMs: 'slowest arrival at a peer, simulated seconds',
  slowestHealingMs: 'slowest recovery, simulated seconds',
} as const;

export function progressLine(totals: CampaignTotals, seeds: number, cpuSeconds: number): string {
  const rate = NUMBER.format(totals.seeds / cpuSeconds);
  return `${NUMBER.format(totals.seeds)} of ${NUMBER.format(seeds)} seeds, ${rate} per CPU second, ${totals.failures.length} failed`;
}

export function reportLines(totals: CampaignTotals, cpuSeconds: number): string[] {
  const counts: Readonly<Record<string, number>> = totals.counts;
  const seconds = (counts['virtualMs'] ?? 0) / 1_000;
  const rows: [string, number | undefined][] = [
    ['seeds', totals.seeds],
    ['violations', totals.failures.length],
    ['seeds run twice, digests equal', totals.repeated],
    ['seeds per CPU second', totals.seeds / cpuSeconds],
    ['CPU seconds', cpuSeconds],
    ['simulated hours', seconds / 3_600],
    ['times as fast as time', seconds / cpuSeconds],
    ...Object.entries(LABELS).map(([name, label]): [string, number | undefined] => [
      label,
      counts[name],
    ]),
    ...Object.entries(SLOWEST).map(([name, label]): [string, number | undefined] => {
      const millis = counts[name];
      return [label, millis === undefined ? undefined : millis / 1_000];
    }),
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.flatMap(([label, value]) =>
    value === undefined ? [] : [`  ${label.padEnd(width)}  ${NUMBER.format(value)}`],
  );
  const fired = totals.rowsFired.map((count, row) => ({ count, row })).slice(1);
  if (fired.length === 0) return lines;
  lines.push(`  rows fired: ${fired.map(({ row, count }) => `${row}:${count}`).join(' ')}`);
  const never = fired.filter(({ count }) => count === 0).map(({ row }) => row);
  if (never.length > 0) lines.push(`  rows that never fired: ${never.join(', ')}`);
  return lines;
}
