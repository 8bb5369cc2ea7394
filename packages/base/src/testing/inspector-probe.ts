/**
 * Whether a running program can be entered through Node's inspector, which SIGUSR1 opens in a process that does nothing
 * against it. Ports are known on Linux alone; elsewhere what the program writes has to do.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from './temporary-directory.ts';
import { until } from './until.ts';

const STRANGER_PROGRAM = fileURLToPath(new URL('./stranger-program.ts', import.meta.url));
/** The state of a listening socket in `/proc/net/tcp`, and where state and inode are in a line. */
const LISTENING = '0A';
const [LOCAL_FIELD, STATE_FIELD, INODE_FIELD] = [1, 3, 9];

export interface ProbedProgram {
  readonly pid: number;
  /** What it has written to standard error so far. */
  readonly stderr: () => string;
}

/** What another user of the machine got of a file. */
export interface Read {
  /** By opening it: the text, or the code of the refusal. */
  readonly direct: string;
  /** Through an inspector; null if there was none. */
  readonly through: string | null;
}

/** Sends SIGUSR1 to a program that is ready, and returns what a process of another user then gets of a file of it. */
export async function readAfterSignal(program: ProbedProgram, file: string): Promise<Read> {
  const { pid, stderr } = program;
  const before = stderr().length;
  process.kill(pid, 'SIGUSR1');
  const isTaken = (): boolean => /SIGUSR1|Debugger listening/.test(stderr().slice(before));
  await until(isTaken, 'the program has taken SIGUSR1');
  const words = [STRANGER_PROGRAM, file, ...listeningPorts(pid).map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout) as Read;
}

/** Fails if SIGUSR1 lets another user of the machine into a program. */
export async function expectNoInspector(program: ProbedProgram): Promise<void> {
  const file = join(temporaryDirectory(), 'secret');
  writeFileSync(file, 'secret', { mode: 0o600 });
  const ports = listeningPorts(program.pid);
  const { direct, through } = await readAfterSignal(program, file);
  assert.doesNotMatch(program.stderr(), /Debugger listening/);
  assert.deepEqual(listeningPorts(program.pid), ports, 'SIGUSR1 opened a port');
  assert.equal(through, null, 'another user read a file through an inspector');
  if (process.getuid?.() === 0) assert.equal(direct, 'EACCES');
}

/** The TCP ports at which a process listens, ascending. */
export function listeningPorts(pid: number): number[] {
  const sockets = socketsOf(pid);
  const tables = ['tcp', 'tcp6'].map((name) => `/proc/${pid}/net/${name}`).filter(existsSync);
  const ports = tables.flatMap((table) =>
    readFileSync(table, 'latin1')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[STATE_FIELD] === LISTENING)
      .filter((fields) => sockets.has(fields[INODE_FIELD] as string))
      .map((fields) =>
        Number.parseInt((fields[LOCAL_FIELD] as string).split(':')[1] as string, 16),
      ),
  );
  return [...new Set(ports)].sort((a, b) => a - b);
}

/** Inodes of the sockets that a process has open. */
function socketsOf(pid: number): Set<string> {
  const folder = `/proc/${pid}/fd`;
  if (!existsSync(folder)) return new Set();
  const inodes = readdirSync(folder).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [];
    } catch {
      return []; // Closed since the folder was read.
    }
  });
  return new Set(inodes);
}
