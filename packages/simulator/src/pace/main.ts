/**
 * Pace of 64 validators: `node tools/bootstrap.mjs packages/simulator/src/pace/main.ts`.
 */
import type { Scenario } from './scenario.ts';
import { measurePace } from './scenario.ts';

const ORDINARY = {
  validators: 64,
  cuts: 40,
  delayMeanMs: 100,
  lossRate: 0,
  unrouted: 0,
  absentShare: 0,
};

const SCENARIOS: readonly Scenario[] = [
  { ...ORDINARY, name: 'full mesh' },
  { ...ORDINARY, name: '20 unrouted, 5 % loss', unrouted: 20, lossRate: 0.05 },
  { ...ORDINARY, name: '30 % of stake absent', absentShare: 0.3, cuts: 120 },
  {
    ...ORDINARY,
    name: '30 % absent, 20 unrouted, 5 % loss',
    absentShare: 0.3,
    unrouted: 20,
    lossRate: 0.05,
    cuts: 120,
  },
];

const HEADINGS = [
  'scenario',
  'cuts',
  'interval ms',
  'first 50/95',
  'all 50/95',
  'round > 0',
  'KiB',
  'debt ms',
  'CPU s',
];

function row(cells: readonly string[]): string {
  return cells.map((cell, at) => (at === 0 ? cell.padEnd(36) : cell.padStart(12))).join('');
}

const only = process.argv[2];
process.stdout.write(`${row(HEADINGS)}\n`);
for (const scenario of SCENARIOS) {
  if (only !== undefined && !scenario.name.includes(only)) continue;
  const before = process.cpuUsage().user;
  const figures = measurePace(scenario);
  const cells = [
    scenario.name,
    `${figures.cuts}`,
    figures.meanIntervalMs.toFixed(1),
    `${figures.firstMsP50.toFixed(0)}/${figures.firstMsP95.toFixed(0)}`,
    `${figures.decideMsP50.toFixed(0)}/${figures.decideMsP95.toFixed(0)}`,
    `${figures.cutsBeyondFirstRound}`,
    figures.kibPerValidatorAndCut.toFixed(0),
    figures.debtMs.toFixed(0),
    ((process.cpuUsage().user - before) / 1e6).toFixed(1),
  ];
  process.stdout.write(`${row(cells)}\n`);
}
