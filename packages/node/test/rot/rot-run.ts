/**
 * Flips single bits over all files of a node's directory and reads everything after each: what comes must be what was
 * written, and what is missing must have been told in words that name a file or a table.
 */
import {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { partOf, readNodeDirectory } from './node-directory.ts';
import { repairFromSound } from './repair-from-sound.ts';

export interface KindReport {
  flips: number;
  told: number;
  /** Something was shown wrong, or not shown, and nothing told. */
  wrong: number;
}

export interface RotReport {
  flips: number;
  /** By kind of file. */
  readonly kinds: Record<string, KindReport>;
  /** Answers are whole and nothing was told: the bit means nothing, or the part was made again. */
  harmless: number;
  /** Told when files were opened or read. */
  told: number;
  /** Answers were whole, and only the scrub told. */
  scrubbed: number;
  /** Flips in the store of the chain that were told, and how many of them a repair has undone. */
  chain: number;
  repaired: number;
  /** What a repair said or left where it did not bring everything back. */
  readonly unrepaired: string[];
  /** Something else than was written last was shown, or not shown, and the scrub alone told. */
  readonly late: string[];
  /** The same, and nothing told. */
  readonly wrong: string[];
}

export const EMPTY_REPORT: Readonly<Omit<RotReport, 'kinds' | 'wrong' | 'late' | 'unrepaired'>> = {
  flips: 0,
  harmless: 0,
  told: 0,
  scrubbed: 0,
  chain: 0,
  repaired: 0,
};

export function newReport(): RotReport {
  return { ...EMPTY_REPORT, kinds: {}, unrepaired: [], late: [], wrong: [] };
}

export function addKind({ kinds }: RotReport, kind: string, counts: KindReport): void {
  const { flips, told, wrong } = kinds[kind] ?? { flips: 0, told: 0, wrong: 0 };
  kinds[kind] = {
    flips: flips + counts.flips,
    told: told + counts.told,
    wrong: wrong + counts.wrong,
  };
}

export type Random = (below: number) => number;

/** Files that lock or describe, and hold nothing that is answered. */
const WITHOUT_ANSWERS = /(^|\/)(LOCK|LOG|LOG\.old|holder\.json|.*\.state\.holder)$/;

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((path) => !WITHOUT_ANSWERS.test(path) && statSync(join(directory, path)).size > 0)
    .sort();
}

/** Half of the flips go to files by their number, half by their size. */
function chooseBit(sound: string, random: Random): { file: string; bit: number } {
  const files = filesOf(sound);
  const sizes = files.map((file) => statSync(join(sound, file)).size);
  if (random(2) === 0) {
    const at = random(files.length);
    return { file: files[at] as string, bit: random(8 * (sizes[at] as number)) };
  }
  let left = random(sizes.reduce((sum, size) => sum + size, 0));
  const at = sizes.findIndex((size) => {
    left -= size;
    return left < 0;
  });
  return { file: files[at] as string, bit: random(8 * (sizes[at] as number)) };
}

function flip(path: string, bit: number): void {
  const { atime, mtime } = statSync(path);
  const bytes = readFileSync(path);
  bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  writeFileSync(path, bytes);
  utimesSync(path, atime, mtime);
}

export interface RotOptions {
  readonly onFlip?: (words: string) => void;
  /** Whether a chain that is hurt is also repaired, and read again. */
  readonly isRepaired?: boolean;
}

/** `sound` is only read; `work` is made anew for each flip. */
export async function rotRun(
  sound: string,
  work: string,
  flips: number,
  random: Random,
  { onFlip = () => {}, isRepaired = true }: RotOptions = {},
): Promise<RotReport> {
  const report = newReport();
  const copy = () => {
    rmSync(work, { recursive: true, force: true });
    cpSync(sound, work, { recursive: true, preserveTimestamps: true });
  };
  copy();
  const expected = await readNodeDirectory(work);
  for (const [part, { told }] of expected)
    if (told.length > 0) throw new Error(`${part} is not sound: ${told}`);
  for (; report.flips < flips; report.flips++) {
    const { file, bit } = chooseBit(sound, random);
    const where = `bit ${bit} of ${file}`;
    onFlip(where);
    copy();
    flip(join(work, file), bit);
    const found = await readNodeDirectory(work, [partOf(file)]);
    judge({ where, file }, expected, found, report);
    if (!isRepaired || (found.get('chain')?.told.length ?? 0) === 0) continue;
    copy();
    flip(join(work, file), bit);
    await judgeRepair(where, expected, { sound, work }, report);
  }
  return report;
}

/** A repair brings every record back, or says why it cannot. */
async function judgeRepair(
  where: string,
  expected: Readings,
  { sound, work }: { sound: string; work: string },
  report: RotReport,
): Promise<void> {
  report.chain++;
  try {
    await repairFromSound(work, sound);
  } catch (error) {
    report.unrepaired.push(`${where}: ${(error as Error).message}`);
    return;
  }
  const reading = (await readNodeDirectory(work, ['chain'])).get('chain');
  const before = expected.get('chain')?.entries ?? new Set<string>();
  const missing = [...before].filter((entry) => reading?.entries.has(entry) !== true).length;
  if (missing === 0 && reading?.told.length === 0) report.repaired++;
  else report.unrepaired.push(`${where}: ${missing} records are missing; ${reading?.told}`);
}

type Readings = Awaited<ReturnType<typeof readNodeDirectory>>;

function judge(
  { where, file }: { readonly where: string; readonly file: string },
  expected: Readings,
  found: Readings,
  report: RotReport,
): void {
  const told: string[] = [];
  const before = report.wrong.length;
  for (const [part, now] of found) {
    const { entries } = expected.get(part) as { entries: ReadonlySet<string> };
    const isInvented = [...now.entries].some((entry) => !entries.has(entry));
    const isLost = now.entries.size < entries.size && now.told.every(isOfScrub);
    const list = now.told.some(isOfScrub) ? report.late : report.wrong;
    if (isInvented) list.push(`${where}: ${part} answers with what was not written; ${now.told}`);
    else if (isLost) list.push(`${where}: ${part} has lost something; ${now.told}`);
    told.push(...now.told);
  }
  const nameless = told.filter((words) => !/[/\\]|file|record of|line|table|\.journal/.test(words));
  if (nameless.length > 0) report.wrong.push(`${where}: words that name nothing: ${nameless}`);
  if (told.length === 0) report.harmless++;
  else if (told.every(isOfScrub)) report.scrubbed++;
  else report.told++;
  addKind(report, kindOf(file), {
    flips: 1,
    told: told.length > 0 ? 1 : 0,
    wrong: report.wrong.length - before,
  });
}

/** The name of a file without its number. */
function kindOf(file: string): string {
  return file.replace(/\d+(?=\.)|(?<=-)\d+$/, '*');
}

function isOfScrub(words: string): boolean {
  return words.startsWith('scrub: ');
}
