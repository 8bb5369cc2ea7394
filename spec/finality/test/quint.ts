/** Runs Quint's own simulator, which needs nothing from the network, and reads its traces. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(import.meta.resolve('@informalsystems/quint/dist/src/cli.js'));
export const SPEC: string = fileURLToPath(new URL('../finality.qnt', import.meta.url));

export interface QuintRun {
  readonly init?: string;
  readonly step?: string;
  readonly steps: number;
  readonly samples: number;
  readonly seed: string;
  readonly invariants?: readonly string[];
  readonly witnesses?: readonly string[];
  /** How many traces to keep. */
  readonly traces?: number;
  readonly file?: string;
}

export interface QuintResult {
  readonly output: string;
  /** States of each trace, decoded. */
  readonly traces: readonly (readonly Decoded[])[];
}

export type Decoded = { readonly [name: string]: unknown };

export async function simulate(run: QuintRun): Promise<QuintResult> {
  const { init = 'init', step = 'step', invariants = [], witnesses = [], traces = 0 } = run;
  const folder = mkdtempSync(join(tmpdir(), 'svc-quint-'));
  try {
    const { isFailed, output } = await execute([
      'run',
      run.file ?? SPEC,
      '--backend=typescript',
      '--verbosity=1',
      `--init=${init}`,
      `--step=${step}`,
      `--max-steps=${run.steps}`,
      `--max-samples=${run.samples}`,
      `--seed=${run.seed}`,
      ...(invariants.length > 0 ? ['--invariants', ...invariants] : []),
      ...(witnesses.length > 0 ? ['--witnesses', ...witnesses] : []),
      ...(traces > 0 ? [`--out-itf=${join(folder, '{seq}.json')}`, `--n-traces=${traces}`] : []),
    ]);
    if (isFailed && !output.includes('[violation]')) throw new Error(output);
    const files = readdirSync(folder).sort();
    return {
      output,
      traces: files.map((name) => statesOf(readFileSync(join(folder, name), 'utf8'))),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the `run` definitions of a specification. */
export function runTests(file: string): Promise<{ isFailed: boolean; output: string }> {
  return execute(['test', file, '--backend=typescript', '--verbosity=1']);
}

function execute(args: readonly string[]): Promise<{ isFailed: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [CLI, ...args],
      { maxBuffer: 2 ** 28, env: { ...process.env, FORCE_COLOR: '0' } },
      (error, out, err) => resolve({ isFailed: error !== null, output: `${out}${err}` }),
    );
  });
}

function statesOf(text: string): Decoded[] {
  const { states } = JSON.parse(text) as { states: unknown[] };
  return states.map((state) => decode(state) as Decoded);
}

/** The Informal Trace Format: integers as texts, sets and tuples as lists, maps as lists of pairs. */
function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  if ('#bigint' in value) return Number(value['#bigint']);
  if ('#set' in value) return decode(value['#set']);
  if ('#tup' in value) return decode(value['#tup']);
  if ('#map' in value) return new Map(decode(value['#map']) as [unknown, unknown][]);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, decode(part)]));
}
