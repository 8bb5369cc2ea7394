/**
 * The test of flipped bits with as many as asked for: `node … rot-campaign.ts 1000`, and `node … rot-campaign.ts 1000
 * answers` without repairs, which take most of the time. Flips are made by processes of their own, so that one that
 * ends its process is counted and the next ones go on.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MEMORY_PARENT } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { makeNodeDirectory } from './node-directory.ts';
import { addKind, newReport, type RotReport, rotRun } from './rot-run.ts';

const FLIPS_PER_PROCESS = 50;
const OUTPUT_BYTES_MAX = 16 << 20;

await init();
const [first = '1000', kind = 'repairs', directory] = process.argv.slice(2);
if (directory === undefined) manage(Number(first), kind, await makeSound());
else await flipSome(Number(first), kind, directory);

async function makeSound(): Promise<string> {
  const made = mkdtempSync(join(MEMORY_PARENT, 'svc-rot-'));
  await makeNodeDirectory(join(made, 'sound'));
  return made;
}

async function flipSome(flips: number, kind: string, place: string): Promise<void> {
  const random = (below: number) => Math.floor(Math.random() * below);
  const [sound, work] = [join(place, 'sound'), join(place, 'work')];
  const say = (words: string) => void process.stderr.write(`${words}\n`);
  const isRepaired = kind === 'repairs';
  const report = await rotRun(sound, work, flips, random, { onFlip: say, isRepaired });
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

function manage(wanted: number, kind: string, place: string): void {
  const sum = newReport();
  while (sum.flips < wanted) {
    const flips = Math.min(FLIPS_PER_PROCESS, wanted - sum.flips);
    const program = [...process.execArgv, process.argv[1] as string, String(flips), kind, place];
    const child = spawnSync(process.execPath, program, {
      encoding: 'utf8',
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    const lines = child.stderr.trim().split('\n');
    if (child.status === 0) add(sum, JSON.parse(child.stdout) as RotReport);
    else {
      sum.flips += lines.length;
      sum.wrong.push(
        `the process ended with ${child.signal ?? child.status}: ${lines.slice(-3).join(' ')}`,
      );
    }
    const { kinds, ...counts } = sum;
    process.stdout.write(`${sum.flips} of ${wanted} flips: ${JSON.stringify(counts)}\n`);
  }
  for (const [kind, { flips, told, wrong }] of Object.entries(sum.kinds).sort())
    process.stdout.write(`${kind}: ${flips} flips, ${told} told, ${wrong} wrong\n`);
  rmSync(place, { recursive: true, force: true });
  process.exitCode = sum.wrong.length + sum.late.length === 0 ? 0 : 1;
}

function add(sum: RotReport, { kinds, wrong, late, unrepaired, ...counts }: RotReport): void {
  for (const [kind, report] of Object.entries(kinds)) addKind(sum, kind, report);
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) sum[name] += counts[name];
  sum.wrong.push(...wrong);
  sum.late.push(...late);
  sum.unrepaired.push(...unrepaired);
}
