/**
 * The proof of work in C (`native/pow.c`), compiled for this machine and commanded by lines.
 * Without gcc there is none, and the bench reports that.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../native/pow.c', import.meta.url));
const FLAGS = ['-O3', '-mcpu=native', '-fno-strict-aliasing'];
const FLAGS_X64 = ['-O3', '-march=native', '-fno-strict-aliasing'];

export interface NativeAnswer {
  readonly nanoseconds: number;
  /** The first words of all results, combined by exclusive or, as hexadecimal. */
  readonly checksum: string;
}

export class NativePow {
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  /** Compiles and starts the program; nothing when there is no compiler. */
  static start(): NativePow | undefined {
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    const program = join(folder, 'pow');
    const flags = process.arch === 'arm64' ? FLAGS : FLAGS_X64;
    const compiled = spawnSync('gcc', [...flags, '-o', program, SOURCE], { stdio: 'ignore' });
    if (compiled.status === 0) return new NativePow(folder, program);
    rmSync(folder, { recursive: true });
    return undefined;
  }

  private constructor(folder: string, program: string) {
    this.#folder = folder;
    const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  async command(...words: readonly (number | string)[]): Promise<NativeAnswer> {
    this.#child.stdin?.write(`${words.join(' ')}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`the native program ended at: ${words.join(' ')}`);
    const [nanoseconds, checksum] = value.split(' ');
    return { nanoseconds: Number(nanoseconds), checksum: checksum as string };
  }

  /** Processor time of the program so far, in nanoseconds, as Linux counts it. */
  processorTime(): number {
    return Number(readFileSync(`/proc/${this.#child.pid}/schedstat`, 'utf8').split(' ')[0]);
  }

  stop(): void {
    this.#child.stdin?.end();
    rmSync(this.#folder, { recursive: true });
  }
}
