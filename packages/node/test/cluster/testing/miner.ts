/**
 * A miner of a private network: it takes templates from a node's mining listener, searches with the cache alone,
 * and hands its blocks in, one for each cut.
 */
import { LEDGER_PARAMETERS } from 'svc-ledger';
import { LightPow, PowPeriods } from 'svc-mining/pow';
import { fromHex, toHex } from 'svc-wasm/base';
import { pause } from './wait.ts';

export interface MinerOptions {
  /** Where the listener is now; a node that was restarted may have another port. */
  readonly url: () => string;
  readonly chainId: string;
  readonly payout: string;
  readonly paceMillis: number;
}

interface Template {
  readonly header_hex: string;
  readonly body_hex: string;
}

const NONCE_AT = 288;
const NONCES = 64;
const ANSWER_MILLIS_MAX = 5_000;
const SEARCHES_MAX = 32;

export class ClusterMiner {
  /** Blocks that the node took. */
  accepted = 0;
  readonly #options: MinerOptions;
  readonly #searcher: LightPow;
  #isClosed = false;
  #running: Promise<void> | undefined;

  constructor(options: MinerOptions) {
    this.#options = options;
    const parameters = LEDGER_PARAMETERS.development;
    this.#searcher = new LightPow(
      new PowPeriods({ chainId: fromHex(options.chainId), parameters }),
    );
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.#searcher.close();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      const start = performance.now();
      await this.#mineOne().catch(() => undefined);
      await pause(Math.max(50, this.#options.paceMillis - (performance.now() - start)));
    }
  }

  async #mineOne(): Promise<void> {
    const { payout } = this.#options;
    const template = await this.#post<Template>('templates', { payout, max_transactions: 512 });
    const header = fromHex(template.header_hex);
    for (let search = 0; search < SEARCHES_MAX && !this.#isClosed; search++) {
      const { nonce } = await this.#searcher.search(header, BigInt(search * NONCES), NONCES);
      if (nonce === null) continue;
      header.set(nonce, NONCE_AT);
      const candidate = { header_hex: toHex(header), body_hex: template.body_hex };
      const { result } = await this.#post<{ result?: string }>('candidates', candidate);
      if (result === 'accepted') this.accepted++;
      return;
    }
  }

  async #post<T>(route: string, body: object): Promise<T> {
    const answer = await fetch(`${this.#options.url()}/v1/mining/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MILLIS_MAX),
    });
    return (await answer.json()) as T;
  }
}
