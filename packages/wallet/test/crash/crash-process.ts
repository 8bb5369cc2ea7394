/**
 * Starts crashing daemons. The sources are bundled once, because a process is started for every crash and loading
 * them one by one would take longer than the cases do.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { CrashMessage, CrashStart } from './crash-daemon.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/**
 * Writes the program into a directory and answers where it is. The package lies around it as around the sources, and the
 * kernels beside the package: the program reads its version there, and them.
 */
export async function bundleDaemon(directory: string): Promise<string> {
  const folder = join(directory, 'wallet');
  const outfile = join(folder, 'src', 'crash-daemon.mjs');
  mkdirSync(folder);
  copyFileSync(path('../../package.json'), join(folder, 'package.json'));
  cpSync(path('../../../protocol/build'), join(directory, 'build'), { recursive: true });
  await build({
    entryPoints: [path('./crash-daemon.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'esnext',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}

export interface CallOutcome {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly code?: number;
  /** No answer came. */
  readonly lost?: true;
}

export class CrashProcess {
  readonly #child: ChildProcess;
  readonly token = randomBytes(32).toString('hex');
  readonly ended: Promise<void>;
  #url = '';

  static async start(program: string, options: Omit<CrashStart, 'token'>): Promise<CrashProcess> {
    const started = new CrashProcess(program);
    await started.#start(options);
    return started;
  }

  private constructor(program: string) {
    this.#child = fork(program, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
      // The bundle is gone with its directory, and what is compiled of it too.
      env: { ...process.env, NODE_COMPILE_CACHE: join(dirname(program), 'compiled') },
    });
    this.ended = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  get url(): string {
    return this.#url;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async #start(options: Omit<CrashStart, 'token'>): Promise<void> {
    const listening = new Promise<void>((resolve) => {
      this.#child.once('message', (message) => {
        this.#url = (message as { url: string }).url;
        resolve();
      });
    });
    this.#tell({ start: { ...options, token: this.token } });
    await Promise.race([listening, this.ended]);
  }

  /** From when this resolves; calls travel another way and would overtake it. */
  async crashAt(point: string | null): Promise<void> {
    const armed = new Promise<void>((resolve) => {
      this.#child.once('message', () => resolve());
    });
    this.#tell({ crashAt: point });
    await Promise.race([armed, this.ended]);
  }

  async call(method: string, params: object): Promise<CallOutcome> {
    const [outcome] = await this.callAll(method, [params]);
    return outcome as CallOutcome;
  }

  /** Calls a method several times in one batch. */
  async callAll(method: string, calls: readonly object[]): Promise<readonly CallOutcome[]> {
    const batch = calls.map((params, id) => ({ jsonrpc: '2.0', id, method, params }));
    try {
      const response = await fetch(`${this.#url}/v1/rpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.token}` },
        body: JSON.stringify(batch),
      });
      const answers = (await response.json()) as readonly {
        result?: Record<string, unknown>;
        error?: { code: number };
      }[];
      return answers.map(({ error, result }) =>
        error === undefined ? { result: result ?? {} } : { code: error.code },
      );
    } catch {
      return calls.map(() => ({ lost: true }));
    }
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #tell(message: CrashMessage): void {
    if (this.#child.connected) this.#child.send(message);
  }
}
