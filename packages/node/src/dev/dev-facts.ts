/**
 * What people and programs are told about a development network when it is ready.
 */
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import { readAtHead } from 'svc-storage';
import { formatAmount } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { type TrustedSetDocument, trustedSetJson } from 'svc-wasm/protocol';
import type { ChainCore } from '../chain/chain-core.ts';
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
  /** The head at the start, as a light client trusts it: the genesis of a new network. */
  readonly trustAnchor: TrustedSetDocument;
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
    trustAnchor: trustAnchorOf(chain),
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

function trustAnchorOf(chain: ChainCore): TrustedSetDocument {
  const { height, cutId } = chain.head;
  const set = chain.setAt(height + 1);
  if (set === undefined) throw new Error(`the validators of cut ${height + 1} are not known`);
  const text = trustedSetJson({
    network: 'development',
    chainId: fromHex(chain.chainId),
    height: BigInt(height),
    time: BigInt(chain.headTimeMillis),
    cutId: fromHex(cutId),
    encodedSet: set.encoded,
  });
  return JSON.parse(text) as TrustedSetDocument;
}
