/**
 * One node of a cluster: a real process of `svcd run`, started, stopped, killed and paused by its id, and spoken
 * to over HTTP alone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { programPath } from 'svc-base/testing';
import type { PlannedNode } from './private-network.ts';
import { waited } from './wait.ts';

const FAULTY_PROGRAM = fileURLToPath(new URL('faulty-process.ts', import.meta.url));
const START_MILLIS_MAX = 240_000;
const END_MILLIS_MAX = 120_000;
const ANSWER_MILLIS_MAX = 30_000;

export interface CutFacts {
  readonly height: number;
  readonly cut_id: string;
  readonly state_root: string;
}

export type Fault = 'wrong-bodies' | 'wrong-ranges' | 'garbage' | 'equivocate';

export class ClusterNode {
  readonly planned: PlannedNode;
  /** What is wrong with it from its next start on. */
  fault: Fault | undefined;
  #child: ChildProcess | undefined;
  #stderr = '';

  constructor(planned: PlannedNode) {
    this.planned = planned;
  }

  get name(): string {
    return this.planned.plan.name;
  }

  get processId(): number | undefined {
    return this.#child?.pid;
  }

  /** What it wrote since its last start. */
  get stderr(): string {
    return this.#stderr;
  }

  launch(...words: readonly string[]): void {
    const { place, directory } = this.planned;
    const program = this.fault === undefined ? [programPath('svcd')] : [FAULTY_PROGRAM, this.fault];
    const command = [...place.prefix, process.execPath, ...program];
    const [first = '', ...rest] = [...command, 'run', '--config', 'node.json', ...words];
    const child = spawn(first, rest, {
      cwd: directory,
      env: { ...process.env, UV_THREADPOOL_SIZE: '2' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.#child = child;
  }

  /** Launches it and waits until it serves. */
  async start(...words: readonly string[]): Promise<void> {
    this.launch(...words);
    await this.ready();
  }

  async ready(millisMax: number = START_MILLIS_MAX): Promise<void> {
    await waited(
      async () => {
        this.expectAlive();
        return this.#readyLine;
      },
      `${this.name} to be ready`,
      millisMax,
    );
  }

  /** Throws with its last words if it has ended. */
  expectAlive(): void {
    if (!this.#isEnded) return;
    const { exitCode, signalCode } = this.#child ?? {};
    const how = signalCode ?? `code ${exitCode}`;
    throw new Error(`${this.name} ended with ${how}: ${this.#stderr.slice(-2_000)}`);
  }

  /** The code of a process that ends by itself. */
  async ended(): Promise<number | null> {
    await waited(
      async () => (this.#isEnded ? true : undefined),
      `${this.name} to end`,
      END_MILLIS_MAX,
    );
    return this.#child?.exitCode ?? null;
  }

  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
    if (!this.#isEnded) this.#child?.kill(name);
  }

  /** kill -9: nothing is flushed, nobody is told. */
  async kill(): Promise<void> {
    if (this.#isEnded) return;
    const ended = once(this.#child as ChildProcess, 'exit');
    this.signal('SIGKILL');
    await ended;
  }

  async stop(): Promise<number | null> {
    this.signal('SIGTERM');
    return this.ended();
  }

  get http(): string {
    return `http://${this.#readyLine?.http}`;
  }

  get mining(): string {
    return `http://${this.#readyLine?.mining}`;
  }

  async get<T>(path: string): Promise<T> {
    return this.#ask<T>(path, {});
  }

  async post<T>(path: string, body: object): Promise<T> {
    return this.#ask<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_version: 1, ...body }),
    });
  }

  /** -1 while it does not answer. */
  async height(): Promise<number> {
    const head = await this.get<{ cut: CutFacts }>('/v1/chain/head').catch(() => undefined);
    return head?.cut?.height ?? -1;
  }

  async cutAt(height: number): Promise<CutFacts> {
    const { cuts } = await this.get<{ cuts: readonly CutFacts[] }>(
      `/v1/cuts?before=${height + 1}&limit=1`,
    );
    const [cut] = cuts;
    if (cut?.height !== height) throw new Error(`${this.name} has no cut ${height}`);
    return cut;
  }

  /** Waits until it has that cut; how long that took. */
  async reach(height: number, millisMax: number): Promise<number> {
    const reached = async () => ((await this.height()) >= height ? true : undefined);
    return (await waited(reached, `${this.name} at ${height}`, millisMax)).millis;
  }

  async #ask<T>(path: string, init: RequestInit): Promise<T> {
    const signal = AbortSignal.timeout(ANSWER_MILLIS_MAX);
    return (await (await fetch(`${this.http}${path}`, { ...init, signal })).json()) as T;
  }

  get #isEnded(): boolean {
    const child = this.#child;
    return child === undefined || child.exitCode !== null || child.signalCode !== null;
  }

  get #readyLine(): { readonly http: string; readonly mining: string } | undefined {
    const line = this.#stderr.split('\n').find((text) => text.includes('"message":"ready"'));
    return line?.endsWith('}') ? JSON.parse(line) : undefined;
  }
}
