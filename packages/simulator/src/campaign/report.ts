/**
 * A campaign as a table a person can read.
 */
import type { CampaignTotals } from './campaign.ts';

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

export function progressLine(totals: CampaignTotals, seeds: number, cpuSeconds: number): string {
  const rate = NUMBER.format(totals.seeds / cpuSeconds);
  return `${NUMBER.format(totals.seeds)} of ${NUMBER.format(seeds)} seeds, ${rate} per CPU second, ${totals.failures.length} failed`;
}

export function reportLines(totals: CampaignTotals, cpuSeconds: number): string[] {
  const hours = totals.virtualMs / 3_600_000;
  const rows: [string, string][] = [
    ['seeds', NUMBER.format(totals.seeds)],
    ['violations', NUMBER.format(totals.failures.length)],
    ['given up: more than is promised for', NUMBER.format(totals.abandoned)],
    ['seeds run twice, digests equal', NUMBER.format(totals.repeated)],
    ['seeds per CPU second', NUMBER.format(totals.seeds / cpuSeconds)],
    ['CPU seconds', NUMBER.format(cpuSeconds)],
    ['events', NUMBER.format(totals.events)],
    ['simulated hours', NUMBER.format(hours)],
    ['faster than time', `${NUMBER.format((hours * 3600) / cpuSeconds)} x`],
    ['heights decided by all honest', NUMBER.format(totals.heights)],
    ['crashes', NUMBER.format(totals.crashes)],
    ['equivocations seen by honest nodes', NUMBER.format(totals.equivocations)],
    ['offences proven in the chain', NUMBER.format(totals.offencesProven)],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`);
  const fired = [...totals.rowsFired].map((count, row) => ({ count, row })).slice(1);
  lines.push(`  rows fired: ${fired.map(({ row, count }) => `${row}:${count}`).join(' ')}`);
  const never = fired.filter(({ count }) => count === 0).map(({ row }) => row);
  if (never.length > 0) lines.push(`  rows that never fired: ${never.join(', ')}`);
  return lines;
}
