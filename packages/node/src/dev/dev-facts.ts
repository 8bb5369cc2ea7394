/**
 * What people and programs are told about a development network when it is ready.
 */
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import { formatAmount } from 'svc-wasm';
import type { DevFacts, DevOptions } from '../cli/actions.ts';
import type { ComposedNode } from '../compose/composed-node.ts';
import type { DevAccount } from './dev-keys.ts';
import type { DevWallet } from './dev-wallet.ts';

export interface FactSources {
  readonly composed: ComposedNode;
  readonly accounts: readonly DevAccount[];
  readonly options: DevOptions;
  readonly wallet: DevWallet | null;
}

export async function readDevFacts(sources: FactSources): Promise<DevFacts> {
  const { composed, accounts, options, wallet } = sources;
  const { chain } = composed.core;
  const reader = chain.reader();
  const balances = await reader.balances(accounts.map(({ address }) => address));
  await reader.close();
  const { validators, cutTime, stateDir } = options;
  return {
    chainId: chain.chainId,
    validators,
    cutTime,
    epochCuts: chain.parameters.interval,
    http: composed.http,
    mining: composed.mining,
    wallet: wallet?.facts ?? null,
    words: DEVELOPMENT_MNEMONIC,
    accounts: accounts.map(({ index, text }) => ({
      index,
      address: text,
      balance: formatAmount(String(balances[index]?.amount ?? 0n)),
    })),
    stateDir,
  };
}
