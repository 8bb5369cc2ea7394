/**
 * What people and programs are told about a development network when it is ready.
 */
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import { readAtHead } from 'svc-storage';
import { formatAmount } from 'svc-wasm';
import type { ComposedNode } from '../compose/composed-node.ts';
import type { Bind } from '../config/bind.ts';
import type { DevOptions } from './dev-config.ts';
import type { DevAccount } from './dev-keys.ts';
import type { DevMining, DevMiningFacts } from './dev-mining.ts';
import type { DevWallet } from './dev-wallet.ts';

export interface DevAccountFacts {
  readonly index: number;
  readonly address: string;
  /** In coins with 8 decimals. */
  readonly balance: string;
}

export interface DevFacts {
  readonly chainId: string;
  readonly validators: number;
  readonly cutTime: number | 'auto' | 'manual';
  readonly epochCuts: number;
  readonly http: Bind;
  /** Whether browsers are served the page. */
  readonly hasPage: boolean;
  readonly mining: Bind;
  /** Null if there is no wallet daemon. */
  readonly wallet: { readonly bind: Bind; readonly tokenFile: string } | null;
  /** Null if the node mines itself or not at all. */
  readonly miners: DevMiningFacts | null;
  readonly words: string;
  readonly accounts: readonly DevAccountFacts[];
  readonly stateDir: string | null;
}

export interface DevFactsPorts {
  readonly composed: ComposedNode;
  readonly accounts: readonly DevAccount[];
  readonly options: DevOptions;
  readonly wallet: DevWallet | null;
  readonly miners: DevMining | null;
}

export async function readDevFacts(sources: DevFactsPorts): Promise<DevFacts> {
  const { composed, accounts, options, wallet, miners } = sources;
  const { chain } = composed.core;
  const owners = accounts.map(({ address }) => address);
  const balances = await readAtHead(chain, (reader) => reader.balances(owners));
  const { validators, cutTime, stateDir } = options;
  return {
    chainId: chain.chainId,
    validators,
    cutTime,
    epochCuts: chain.parameters.interval,
    http: composed.http,
    hasPage: options.ui !== false,
    mining: composed.mining,
    wallet: wallet?.facts ?? null,
    miners: miners?.facts ?? null,
    words: DEVELOPMENT_MNEMONIC,
    accounts: accounts.map(({ index, text }) => ({
      index,
      address: text,
      balance: formatAmount(String(balances[index]?.amount ?? 0n)),
    })),
    stateDir,
  };
}
