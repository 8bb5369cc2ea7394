/**
 * The data folder of a running validator is copied, and a second process is started from the copy some cuts later, in a network namespace of its
 * own. Of the two, one at most goes on signing, and the validator is not removed.
 *
 * `node copied-folder.ts <trials> [first] [of]` runs trials first to first + trials - 1 of so many, whose copies are 0 to 50 cuts old. Network
 * namespaces need root; without them both processes are on one machine, whose lock of the key refuses the second one.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StakingValidator, StatusDocument } from 'svc-api';
import { passedVariables, programPath, temporaryDirectory } from 'svc-base/testing';
import { freeRange } from '../process/page-blocks.ts';

export interface Outcome {
  readonly ageCuts: number;
  /** What became of the two processes, in the words of their status. */
  readonly original: string;
  readonly copy: string;
  readonly isRemoved: boolean;
  /** How many of the two signed at the last cuts. */
  readonly signing: number;
  readonly cuts: number;
}

interface Place {
  readonly host: string;
  /** Undefined for the namespace of this process. */
  readonly namespace?: string;
}

interface Running {
  readonly child: ChildProcess;
  readonly place: Place;
  readonly directory: string;
}

const VALIDATORS = 4;
const AGE_CUTS_MAX = 50;
const PACE_MILLIS = 1_000;
const POLL_MILLIS = 500;
/** A silence of 48 cuts, what comes before it and what would come after it. */
const CUTS_MAX = 75;
/** Cuts that are looked at once one of the two has stopped. */
const CUTS_AFTER = 8;
/** The parts of a trial that wait for something fail after so long; the machine may be slow. */
const PATIENCE_MILLIS = 600_000;
const BUSY = 'for (;;) {}';

export const HAS_NAMESPACES: boolean =
  process.platform === 'linux' && process.getuid?.() === 0 && mayMakeNamespaces();

function mayMakeNamespaces(): boolean {
  const name = `svc-try-${process.pid}`;
  try {
    run('ip', 'netns', 'add', name);
    run('ip', 'netns', 'del', name);
    return true;
  } catch {
    return false;
  }
}

function run(program: string, ...words: string[]): string {
  return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** A bridge with two namespaces, removed when it is disposed of. */
class Wires implements Disposable {
  readonly others: Place;
  readonly original: Place;
  readonly copy: Place;
  readonly #bridge = `svcb${process.pid}`;

  constructor() {
    const net = `10.${100 + (process.pid % 100)}.${process.pid % 250}`;
    this.others = { host: `${net}.1` };
    this.original = { host: `${net}.4`, namespace: `svco${process.pid}` };
    this.copy = { host: `${net}.5`, namespace: `svcc${process.pid}` };
    run('ip', 'link', 'add', this.#bridge, 'type', 'bridge');
    run('ip', 'addr', 'add', `${this.others.host}/24`, 'dev', this.#bridge);
    run('ip', 'link', 'set', this.#bridge, 'up');
    for (const { host, namespace = '' } of [this.original, this.copy]) {
      const inside = ['netns', 'exec', namespace, 'ip'] as const;
      run('ip', 'netns', 'add', namespace);
      run(
        'ip',
        'link',
        'add',
        namespace,
        'type',
        'veth',
        'peer',
        'name',
        'eth0',
        'netns',
        namespace,
      );
      run('ip', 'link', 'set', namespace, 'master', this.#bridge, 'up');
      run('ip', ...inside, 'addr', 'add', `${host}/24`, 'dev', 'eth0');
      run('ip', ...inside, 'link', 'set', 'eth0', 'up');
      run('ip', ...inside, 'link', 'set', 'lo', 'up');
    }
  }

  [Symbol.dispose](): void {
    run('ip', 'netns', 'del', this.original.namespace ?? '');
    run('ip', 'netns', 'del', this.copy.namespace ?? '');
    run('ip', 'link', 'del', this.#bridge);
  }
}

const LOOPBACK = { host: '127.0.0.1' } as const satisfies Place;

class Trial {
  readonly directory = temporaryDirectory();
  readonly #wires: Wires | undefined;
  readonly #running: Running[] = [];
  readonly #busy: ChildProcess[];

  constructor(wires: Wires | undefined, busy: number) {
    this.#wires = wires;
    this.#busy = Array.from({ length: busy }, () =>
      spawn('nice', ['-n', '5', process.execPath, '-e', BUSY], { stdio: 'ignore' }),
    );
  }

  async run(ageCuts: number): Promise<Outcome> {
    const {
      others,
      original: place,
      copy: copyPlace,
    } = this.#wires ?? {
      others: LOOPBACK,
      original: LOOPBACK,
      copy: LOOPBACK,
    };
    const hosts = [...Array<string>(VALIDATORS - 1).fill(others.host), place.host].join(',');
    const words = ['--validators', `${VALIDATORS}`, '--network', 'development', '--hosts', hosts];
    const port = `${await freeRange()}`;
    const pace = ['--pace-millis', `${PACE_MILLIS}`, '--port', port, '--start', '+10s'];
    run(process.execPath, programPath('svcd'), 'network', 'new', this.#path(), ...words, ...pace);
    const first = this.#start('validator-1', others);
    this.#start('validator-2', others);
    this.#start('validator-3', others);
    const original = this.#start(`validator-${VALIDATORS}`, place);
    await this.#until('the first cuts', async () => (await lastSigned(original)) >= 4);

    run('cp', '-a', original.directory, this.#path('copy'));
    const file = this.#path('copy', 'node.json');
    const config = readFileSync(file, 'utf8');
    writeFileSync(file, config.replaceAll(place.host, copyPlace.host));
    const copiedAt = await heightOf(first);
    await this.#until('the copy is old', async () => (await heightOf(first)) >= copiedAt + ageCuts);
    const startedAt = await heightOf(first);
    const copy = this.#start('copy', copyPlace);
    return { ageCuts, ...(await this.#watch(first, original, copy, startedAt)) };
  }

  async #watch(
    first: Running,
    original: Running,
    copy: Running,
    startedAt: number,
  ): Promise<Omit<Outcome, 'ageCuts'>> {
    const validatorId = (await statusOf(original))?.validator?.validator_id ?? '';
    let last = startedAt + CUTS_MAX;
    await this.#until('the end of the trial', async () => {
      const height = await heightOf(first);
      const isDecided = [await stateOf(original), await stateOf(copy)].some(isEnd);
      if (isDecided) last = Math.min(last, height + CUTS_AFTER);
      return height >= last;
    });
    const before = [await lastSigned(original), await lastSigned(copy)];
    const end = await heightOf(first);
    await this.#until('three more cuts', async () => (await heightOf(first)) >= end + 3);
    const after = [await lastSigned(original), await lastSigned(copy)];
    return {
      original: await stateOf(original),
      copy: await stateOf(copy),
      isRemoved: await isRemoved(first, validatorId),
      signing: after.filter((height, at) => height > (before[at] ?? 0)).length,
      cuts: end - startedAt,
    };
  }

  /** Ends what the trial has started. */
  async close(): Promise<void> {
    const children = [...this.#running.map(({ child }) => child), ...this.#busy];
    const alive = children.filter(
      ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
    );
    const ended = alive.map((child) => once(child, 'exit'));
    for (const child of alive) child.kill('SIGKILL');
    await Promise.all(ended);
    rmSync(this.directory, { recursive: true });
  }

  #path(...parts: string[]): string {
    return join(this.directory, 'net', ...parts);
  }

  #start(name: string, place: Place): Running {
    const directory = this.#path(name);
    const words = [process.execPath, programPath('svcd'), 'run', '--data-dir', '.'];
    const inside = place.namespace === undefined ? [] : ['ip', 'netns', 'exec', place.namespace];
    const [program = '', ...rest] = [...inside, ...words];
    const child = spawn(program, [...rest, '--log-file', 'node.log'], {
      cwd: directory,
      env: { ...process.env, ...passedVariables() },
      stdio: 'ignore',
    });
    const running = { child, place, directory };
    this.#running.push(running);
    return running;
  }

  async #until(what: string, find: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + PATIENCE_MILLIS;
    while (!(await find())) {
      if (performance.now() > end) throw new Error(`waited for ${what} in ${this.directory}`);
      await sleep(POLL_MILLIS);
    }
  }
}

/** `curl` runs in the namespace of the node, whose API is for its machine alone. */
async function get<T>({ directory, place }: Running, path: string): Promise<T | undefined> {
  const config = readFileSync(join(directory, 'node.json'), 'utf8');
  const { http } = JSON.parse(config) as { http: { bind: string } };
  const inside = place.namespace === undefined ? [] : ['ip', 'netns', 'exec', place.namespace];
  const [program, ...words] = [...inside, 'curl', '-s', '-m', '5', `http://${http.bind}${path}`];
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(child, 'close');
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

async function statusOf(node: Running): Promise<StatusDocument | undefined> {
  const status = await get<StatusDocument>(node, '/v1/node/status');
  return status?.finalized_height === undefined ? undefined : status;
}

async function heightOf(node: Running): Promise<number> {
  return (await statusOf(node))?.finalized_height ?? 0;
}

async function lastSigned(node: Running): Promise<number> {
  return (await statusOf(node))?.validator?.last_signed_height ?? 0;
}

/** `refused`: the process has ended without signing. */
async function stateOf(node: Running): Promise<string> {
  if (node.child.exitCode !== null) return refusalIn(node.directory);
  return (await statusOf(node))?.validator?.state ?? 'unknown';
}

function refusalIn(directory: string): string {
  const file = join(directory, 'node.log');
  const log = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const isLocked = log.includes('another process on this machine uses this consensus key');
  return isLocked ? 'refused: the key is locked' : 'refused';
}

function isEnd(state: string): boolean {
  return state === 'stopped' || state === 'removed' || state.startsWith('refused');
}

async function isRemoved(node: Running, validatorId: string): Promise<boolean> {
  const found = await get<StakingValidator>(node, `/v1/staking/validators/${validatorId}`);
  const state = found?.validator?.state;
  if (state === undefined) throw new Error(`nothing is known of validator ${validatorId}`);
  return state === 'removed';
}

/** One network, one copy of the folder of its last validator; `busy` processes use up the processor beside them. */
export async function runTrial(ageCuts: number, busy: number): Promise<Outcome> {
  using wires = HAS_NAMESPACES ? new Wires() : undefined;
  const trial = new Trial(wires, busy);
  try {
    return await trial.run(ageCuts);
  } finally {
    await trial.close();
  }
}

async function main([trials = '1', first = '0', of = trials]: readonly string[]): Promise<void> {
  const outcomes: Outcome[] = [];
  for (let trial = Number(first); trial < Number(first) + Number(trials); trial++) {
    const ageCuts = Math.floor((trial * (AGE_CUTS_MAX + 1)) / Number(of));
    const outcome = await runTrial(ageCuts, 1);
    outcomes.push(outcome);
    process.stdout.write(`trial ${trial}: ${JSON.stringify(outcome)}\n`);
  }
  const count = (is: (outcome: Outcome) => boolean) => outcomes.filter(is).length;
  const removed = count(({ isRemoved: is }) => is);
  const both = count(({ signing }) => signing > 1);
  process.stdout.write(
    `${outcomes.length} trials: ${removed} removed, ${both} with both signing, ${count(({ copy }) => isEnd(copy))} copies stopped or refused, ${count(({ original }) => isEnd(original))} originals stopped\n`,
  );
  process.exitCode = removed + both === 0 ? 0 : 1;
}

if (import.meta.main) await main(process.argv.slice(2));
