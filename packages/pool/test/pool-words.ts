/**
 * The command line of a pool beside a development network, and what the pool prints when it is ready.
 */
import type { NetworkFacts } from '../../mining/test/server/testing/processes.ts';

export interface PoolFacts {
  readonly pplns_listen: readonly string[];
  readonly pplns_listen_tls: readonly string[];
  readonly pplns_listen_ws: readonly string[];
  readonly solo_listen: readonly string[];
  readonly solo_listen_tls: readonly string[];
  readonly solo_listen_ws: readonly string[];
  readonly web: string;
}

export interface PoolWordsOptions {
  readonly facts: NetworkFacts;
  /** Index of the network's account that blocks pay. */
  readonly account?: number;
  readonly more?: readonly string[];
}

export function poolWords({ facts, account = 0, more = [] }: PoolWordsOptions): string[] {
  const any = '127.0.0.1:0';
  return [
    ...['--address', facts.accounts[account]?.address as string, '--node', facts.mining_url],
    ...['--api', facts.api_url, '--wallet', facts.wallet_url],
    ...['--wallet-token-file', facts.wallet_token_file, '--pplns-listen', any],
    ...['--web-listen', any, '--pow', 'light', '--difficulty', '4', '--json'],
    ...more,
  ];
}
