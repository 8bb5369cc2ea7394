/**
 * Kills a committing process again and again at random moments, also while it recovers from the kill
 * before, and compares every start with a reference: always at a whole cut or group of cuts, none lost that was
 * acknowledged, the state root that of its height.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleChild } from './bundle-child.ts';
import { ladderRoots } from './ladder-store.ts';

/** A kill comes within this time of some commit, or of the beginning of recovery. */
const COMMIT_MILLIS_MAX = 10;
const COMMITS_MAX = 6;
const RECOVERY_MILLIS_MAX = 40;
const COMPACTION_MILLIS_MAX = 4;

export interface CrashReport {
  readonly rounds: number;
  /** Starts with trees as they were saved. */
  readonly restored: number;
  readonly killedWhileOpening: number;
  readonly height: number;
}

export interface CrashOptions {
  /** Cuts that are committed together. */
  readonly groupOf?: number;
  /** What changes the trees is logged: once they were saved, by the first process, they are never built again. */
  readonly isLogged?: boolean;
}

class Round {
  readonly #child: ChildProcess;
  #text = '';
  #ended = false;

  constructor(program: string, ...args: string[]) {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    this.#child = spawn(process.execPath, [program, ...args], { stdio: [...stdio] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#text += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#text += `stderr ${text}`;
    });
    this.#child.once('exit', () => {
      this.#ended = true;
    });
  }

  /** Waits until a line was written so many times. */
  async until(line: string, times = 1): Promise<void> {
    while (this.#text.split(line).length <= times) await this.running();
  }

  /** Waits a moment; fails if the process has ended. */
  async running(): Promise<void> {
    assert.ok(!this.#ended, `the process ended by itself: ${this.#text}`);
    await sleep(1);
  }

  async kill(): Promise<void> {
    if (this.#ended) assert.fail(`the process ended by itself: ${this.#text}`);
    this.#child.kill('SIGKILL');
    await once(this.#child, 'close');
  }

  get opened(): { height: number; root: string } | undefined {
    const found = /^opened (\d+) ([0-9a-f]{96})$/m.exec(this.#text);
    return found === null ? undefined : { height: Number(found[1]), root: found[2] as string };
  }

  /** Whether the trees were read as they were saved; undefined if the process was killed before it said so. */
  get areTreesRestored(): boolean | undefined {
    const found = /^trees (restored|built)$/m.exec(this.#text);
    return found === null ? undefined : found[1] === 'restored';
  }

  /** Whether a compaction was under way at the end. */
  get isCompacting(): boolean {
    const last = this.#text.lastIndexOf('compaction begins');
    return last > this.#text.lastIndexOf('compaction ends');
  }

  /** The last cut that was acknowledged in this round. */
  get committed(): number {
    const found = [...this.#text.matchAll(/^committed (\d+)$/gm)].at(-1);
    return Number(found?.[1] ?? this.opened?.height ?? 0);
  }
}

export async function crashRounds(
  directory: string,
  rounds: number,
  random: () => number,
  { groupOf = 1, isLogged = false }: CrashOptions = {},
): Promise<CrashReport> {
  const program = await bundleChild('crash-child.ts', directory);
  const store = join(directory, 'store');
  const kind = isLogged ? ['logged'] : [];
  let acknowledged = 0;
  let killedWhileOpening = 0;
  let restored = 0;
  for (let number = 0; number < rounds; number++) {
    const areSaved = existsSync(join(store, 'trees'));
    const round = new Round(program, store, `${groupOf}`, ...kind);
    const whileOpening = number > 0 && random() < 1 / 3;
    while (isLogged && !existsSync(join(store, 'trees'))) await round.running();
    if (whileOpening) await round.until('opening');
    else await round.until('committed', 1 + Math.floor(random() * COMMITS_MAX));
    await sleep(random() * (whileOpening ? RECOVERY_MILLIS_MAX : COMMIT_MILLIS_MAX));
    await round.kill();
    const { opened, areTreesRestored } = round;
    if (areTreesRestored !== undefined)
      assert.equal(areTreesRestored, areSaved, `trees of round ${number}`);
    if (areTreesRestored === true) restored++;
    if (opened === undefined) {
      killedWhileOpening++;
      continue;
    }
    assert.ok(opened.height >= acknowledged, `cut ${acknowledged} was lost at ${opened.height}`);
    assert.ok(opened.height <= acknowledged + groupOf, `cut ${opened.height} was never committed`);
    assert.equal(opened.height % groupOf, 0, `cut ${opened.height} is in the middle of a group`);
    const roots = await ladderRoots(opened.height);
    assert.equal(opened.root, roots[opened.height], `root at height ${opened.height}`);
    acknowledged = round.committed;
  }
  return { rounds, restored, killedWhileOpening, height: acknowledged };
}

/** Kills a process that prunes within a few milliseconds of the beginning of a compaction. Returns how many were under way. */
export async function compactionRounds(
  directory: string,
  rounds: number,
  random: () => number,
): Promise<{ readonly killedWhileCompacting: number; readonly height: number }> {
  const program = await bundleChild('crash-child.ts', directory);
  let acknowledged = 0;
  let killedWhileCompacting = 0;
  for (let number = 0; number < rounds; number++) {
    const round = new Round(program, join(directory, 'store'), '1', 'pruned');
    await round.until('compaction begins', 1 + Math.floor(random() * COMMITS_MAX));
    await sleep(random() * COMPACTION_MILLIS_MAX);
    await round.kill();
    const { height, root } = round.opened ?? assert.fail('it compacted before it was open');
    assert.ok(height === acknowledged || height === acknowledged + 1, `${acknowledged}: ${height}`);
    assert.equal(root, (await ladderRoots(height))[height], `root at height ${height}`);
    if (round.isCompacting) killedWhileCompacting++;
    acknowledged = round.committed;
  }
  return { killedWhileCompacting, height: acknowledged };
}
