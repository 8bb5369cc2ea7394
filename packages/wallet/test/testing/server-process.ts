/**
 * A server as a process of its own that is killed and started again on what it had written. A proxy gives it one address
 * for all its lives, whatever port it has in each.
 */
import { programPath } from 'svc-base/testing';
import { Child, type ChildOptions } from './child.ts';
import { CutProxy } from './cut-proxy.ts';

export interface ServerProgram {
  readonly words: readonly string[];
  readonly options?: ChildOptions;
  /** Where it listens, from the document that it prints when it does. */
  urlOf(document: Readonly<Record<string, string>>): string;
}

export class ServerProcess {
  readonly #program: ServerProgram;
  readonly #proxy: CutProxy;
  #child: Child | null = null;
  #listening: Promise<void> = Promise.resolve();
  #isListening = false;
  /** What it printed when it listened last. */
  facts: Readonly<Record<string, string>> = {};
  kills = 0;
  /** Of these, kills before it had said that it listens. */
  killsDuringStart = 0;
  connectionsCut = 0;

  static async start(program: ServerProgram): Promise<ServerProcess> {
    const server = new ServerProcess(program, await CutProxy.start());
    server.start();
    await server.listening();
    return server;
  }

  private constructor(program: ServerProgram, proxy: CutProxy) {
    this.#program = program;
    this.#proxy = proxy;
  }

  get url(): string {
    return this.#proxy.url;
  }

  start(): void {
    const { words, options, urlOf } = this.#program;
    const child = new Child(words, options);
    this.#child = child;
    this.#isListening = false;
    this.#listening = child.printed('}\n').then((printed) => {
      if (printed === undefined || child !== this.#child) return;
      this.facts = JSON.parse(printed) as Record<string, string>;
      this.#proxy.leadTo(urlOf(this.facts));
      this.#isListening = true;
    });
  }

  async listening(): Promise<void> {
    await this.#listening;
    if (!this.#isListening || this.#child?.isOver)
      throw new Error(`ended by itself: ${this.#program.words.join(' ')}`);
  }

  async kill(): Promise<void> {
    this.kills++;
    if (!this.#isListening) this.killsDuringStart++;
    await this.#child?.kill();
    this.#proxy.leadTo(null);
  }

  get connections(): number {
    return this.#proxy.connections;
  }

  cutSockets(): void {
    this.connectionsCut += this.#proxy.cut();
  }

  async close(): Promise<void> {
    await this.#child?.kill();
    await this.#proxy.close();
  }
}

/** A development network with a validator and a miner, on a directory of its own. */
export function nodeProgram(directory: string, cutTime: string): ServerProgram {
  const words = ['dev', '--port', '0', '--state', 'network', '--validators', '1', '--no-wallet'];
  return {
    words: [programPath('svcd'), ...words, '--cut-time', cutTime, '--json'],
    options: { directory, isQuiet: true },
    urlOf: ({ api_url: url = '' }) => url,
  };
}

/** The daemon of a wallet file, with further options. */
export function daemonProgram(
  file: string,
  service: string,
  more: readonly string[] = [],
): ServerProgram {
  const place = ['--file', file, '--service', service];
  const access = ['--port', '0', '--host-name', '127.0.0.1', '--until-stdin-ends'];
  return {
    words: [
      ...[programPath('svc-wallet'), 'daemon'],
      ...[...place, ...access, '--gap', '20', '--json', '--quiet', ...more],
    ],
    options: { isQuiet: true },
    urlOf: ({ url = '' }) => url,
  };
}
