/**
 * The record of campaigns as a page: one row for each part that was run, and what the parts of a level add up to. This
 * file turns rows into text and text into rows; who reads and writes the page, and asks for the commit, is the program.
 */
import { LEVEL_NAMES, type LevelName } from './arguments.ts';
import type { CampaignOptions } from './campaign.ts';

/** The page, seen from the root of the repository. */
export const RECORD_PATH = 'docs/reports/campaigns.md';

/** Seeds that are wanted of each level, over all parts. */
const WANTED: Readonly<Record<LevelName, number>> = {
  finality: 1_000_000,
  ledger: 20_000,
  node: 20_000,
  signer: 1_000,
  twins: 4_096,
  explore: 36,
};

/** Seeds of one kind that stand on record once. */
export interface SeedRange {
  readonly level: LevelName;
  /** The first seed. */
  readonly from: number;
  readonly seeds: number;
  readonly validators: string;
  readonly faults: string;
}

export interface CampaignPart extends SeedRange {
  readonly commit: string;
  readonly architecture: string;
  readonly violations: number;
  readonly cpuSeconds: number;
}

const HEADINGS = [
  'commit',
  'level',
  'first seed',
  'seeds',
  'validators',
  'faults',
  'architecture',
  'violations',
  'CPU seconds',
] as const;
const TEXT_BEFORE = `# Campaigns of the simulator

Written by \`npm run simulate -- --record\`, which adds a row for what it ran: each part is a range of seeds that no row
before it has. A commit with a plus sign had changes that were not committed. Violations are listed by the program with
the command that replays each; the history of the repository says what became of them.

## So far
`;
const TEXT_BETWEEN = `
## Parts
`;

/** Faults as a row names them: all that the level has, unless some were left out or forced. */
export function faultsOf({
  without = new Set(),
  always = new Set(),
}: Pick<CampaignOptions, 'without' | 'always'>): string {
  const left = without.size === 0 ? 'all' : `all but ${[...without].join(', ')}`;
  return always.size === 0 ? left : `${left}; always ${[...always].join(', ')}`;
}

/** Why the page cannot take a part of these seeds, known before they are run; undefined where it can. */
export function refusalOf(text: string, range: SeedRange): string | undefined {
  const overlapping = partsIn(text).find((other) => overlaps(other, range));
  return overlapping === undefined
    ? undefined
    : `seeds ${overlapping.from} to ${lastOf(overlapping)} of level ${range.level} are on record with the same validators and faults`;
}

/** The page with one more part; the text is empty where there is no page yet. */
export function withPart(text: string, part: CampaignPart): string {
  const refusal = refusalOf(text, part);
  if (refusal !== undefined) throw new RangeError(refusal);
  return pageOf(joined([...partsIn(text), part]));
}

function lastOf({ from, seeds }: SeedRange): number {
  return from + seeds - 1;
}

function isSameKind(a: SeedRange, b: SeedRange): boolean {
  return a.level === b.level && a.validators === b.validators && a.faults === b.faults;
}

function overlaps(a: SeedRange, b: SeedRange): boolean {
  return isSameKind(a, b) && a.from <= lastOf(b) && b.from <= lastOf(a);
}

/** Parts that follow each other on one commit and one machine become one row. */
function joined(parts: readonly CampaignPart[]): CampaignPart[] {
  const rows: CampaignPart[] = [];
  for (const part of parts) {
    const at = rows.findIndex(
      (row) =>
        isSameKind(row, part) &&
        row.commit === part.commit &&
        row.architecture === part.architecture &&
        lastOf(row) + 1 === part.from,
    );
    const before = rows[at];
    if (before === undefined) rows.push(part);
    else
      rows[at] = {
        ...before,
        seeds: before.seeds + part.seeds,
        violations: before.violations + part.violations,
        cpuSeconds: before.cpuSeconds + part.cpuSeconds,
      };
  }
  return rows;
}

export function partsIn(text: string): CampaignPart[] {
  const [, table = ''] = text.split(TEXT_BETWEEN);
  return table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map(partOf);
}

function partOf(line: string): CampaignPart {
  const cells = line.split('|').slice(1, -1);
  const [commit = '', name, from, seeds, validators = '', faults = '', architecture = '', ...sums] =
    cells.map((cell) => cell.trim());
  const level = LEVEL_NAMES.find((known) => known === name);
  if (cells.length !== HEADINGS.length || level === undefined)
    throw new SyntaxError(`${RECORD_PATH}: no part of a campaign: ${line}`);
  return {
    commit,
    level,
    from: numberIn(from, line),
    seeds: numberIn(seeds, line),
    validators,
    faults,
    architecture,
    violations: numberIn(sums[0], line),
    cpuSeconds: numberIn(sums[1], line),
  };
}

function numberIn(cell = '', line: string): number {
  if (!/^[0-9]+$/.test(cell)) throw new SyntaxError(`${RECORD_PATH}: no number in ${line}`);
  return Number(cell);
}

function pageOf(parts: readonly CampaignPart[]): string {
  const sums = LEVEL_NAMES.map((level) => {
    const own = parts.filter((part) => part.level === level);
    const sumOf = (name: 'seeds' | 'violations' | 'cpuSeconds') =>
      own.reduce((sum, part) => sum + part[name], 0);
    return [level, sumOf('seeds'), WANTED[level], sumOf('violations'), sumOf('cpuSeconds')];
  });
  const rows = parts.map((part) => [
    part.commit,
    part.level,
    part.from,
    part.seeds,
    part.validators,
    part.faults,
    part.architecture,
    part.violations,
    part.cpuSeconds,
  ]);
  const totals = tableOf(['level', 'seeds run', 'wanted', 'violations', 'CPU seconds'], sums);
  return `${TEXT_BEFORE}\n${totals}${TEXT_BETWEEN}\n${tableOf(HEADINGS, rows)}`;
}

function tableOf(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
