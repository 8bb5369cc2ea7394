/**
 * A development network as a process that can be killed and started again on what it left behind.
 */
import { once } from 'node:events';
import { SvcdProcess } from '../../../src/cli/testing/svcd.ts';

export interface ProcessFacts {
  readonly chain_id: string;
  readonly api_url: string;
  readonly mining_url: string;
}

const LOOK_MILLIS = 10;
const WORDS = ['dev', '--port', '0', '--no-wallet', '--json', '--state', 'state'];

export class NetworkProcess {
  readonly #directory: string;
  readonly #cutTime: string;
  #svcd: SvcdProcess | undefined;

  constructor(directory: string, cutTime: string) {
    this.#directory = directory;
    this.#cutTime = cutTime;
  }

  /** Not ready yet. */
  start(): void {
    const words = [...WORDS, '--cut-time', this.#cutTime];
    this.#svcd = new SvcdProcess(words, { directory: this.#directory });
  }

  async ready(): Promise<ProcessFacts> {
    const running = this.#running;
    while (!running.stdout.endsWith('}\n')) {
      if (running.child.exitCode !== null) throw new Error(`it did not start: ${running.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLIS));
    }
    return JSON.parse(running.stdout) as ProcessFacts;
  }

  /** Everything it said besides its facts, for whoever looks for a fault. */
  get said(): string {
    return this.#svcd?.stderr ?? '';
  }

  /** What the log warned of since the start. */
  get warnings(): string[] {
    const lines = this.#running.stderr.split('\n').filter((line) => line.startsWith('{"'));
    return lines.map((line) => (JSON.parse(line) as { message: string }).message);
  }

  async kill(): Promise<void> {
    const { child } = this.#running;
    if (child.exitCode !== null) throw new Error(`it ended by itself: ${this.#running.stderr}`);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Asks it to end; its exit code. */
  async end(): Promise<number | null> {
    this.#running.child.kill('SIGINT');
    return (await this.#running.end()).code;
  }

  /** Whatever it does. */
  async dispose(): Promise<void> {
    this.#svcd?.child.kill('SIGKILL');
    await this.#svcd?.end();
  }

  get #running(): SvcdProcess {
    if (this.#svcd === undefined) throw new Error('it was not started');
    return this.#svcd;
  }
}
