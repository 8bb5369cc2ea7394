/**
 * A miner of another process: it gets a template over HTTP, searches, and hands the block in.
 */
import assert from 'node:assert/strict';
import { LEDGER_PARAMETERS } from 'svc-ledger';
import { LightPow, PowPeriods } from 'svc-mining/pow';
import { fromHex, toHex } from 'svc-wasm/base';
import { post } from './kit.ts';

const NONCE_AT = 288;
const NONCES_MAX = 10_000;
const TRANSACTIONS_MAX = 16;

export class OutsideMiner {
  readonly #searcher: LightPow;

  constructor(chainId: string, parameters = LEDGER_PARAMETERS.development) {
    this.#searcher = new LightPow(new PowPeriods({ chainId: fromHex(chainId), parameters }));
  }

  /** The id of a block that was accepted. */
  async mine(url: string, payout: string): Promise<string> {
    const template = await post<{ header_hex: string; body_hex: string }>(
      `${url}/v1/mining/templates`,
      { payout, max_transactions: TRANSACTIONS_MAX },
    );
    const header = fromHex(template.header_hex);
    const { nonce } = await this.#searcher.search(header, 0n, NONCES_MAX);
    assert.ok(nonce !== null);
    header.set(nonce, NONCE_AT);
    const candidate = { header_hex: toHex(header), body_hex: template.body_hex };
    const { result, block_id } = await post<{ result: string; block_id: string }>(
      `${url}/v1/mining/candidates`,
      candidate,
    );
    assert.equal(result, 'accepted');
    return block_id;
  }

  close(): Promise<void> {
    return this.#searcher.close();
  }
}
