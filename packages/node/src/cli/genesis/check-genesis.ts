/**
 * `svcd genesis check`: whether a chain can start from a document, which, and what somebody who is about to stake on
 * it should look at twice.
 */
import { columns, note, result, resultJson } from 'svc-base/cli';
import {
  type Genesis,
  type GenesisValidator,
  genesisState,
  genesisValidatorId,
  LEDGER_PARAMETERS,
} from 'svc-ledger';
import { decodeOverlayEndpoint } from 'svc-network/endpoint';
import { MemoryStore, openStoreOn } from 'svc-storage';
import { formatAmount, init } from 'svc-wasm';
import { encodeAddress, fromHex, SvcError, toHex } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import { type NamedGenesis, readGenesisFile } from '../../config/genesis-file.ts';

export interface CheckOptions {
  readonly json?: boolean;
}

export async function checkGenesisFile(file: string, options: CheckOptions): Promise<void> {
  await init();
  const named = readGenesisFile(file);
  const summary = await summarize(named, Date.now());
  if (options.json === true) return resultJson(summary);
  const { network, outputs, validators, paceMillis } = named.genesis;
  note(
    `network ${network}, ${outputs.length} outputs, ${validators.length} validators, a cut every ${paceMillis} ms`,
  );
  note(`begins at ${summary.start}`);
  note(columns(summary.validators.map(row)));
  note(`state root ${summary.state_root}`);
  for (const remark of summary.odd) note(`odd: ${remark}`);
  result(named.chainId);
}

type Summary = Awaited<ReturnType<typeof summarize>>;

export async function summarize({ genesis, chainId }: NamedGenesis, nowMillis: number) {
  const { network, timeMillis, paceMillis, outputs, validators } = genesis;
  const text = (address: string) => encodeAddress(fromHex(address), network);
  return {
    chain_id: chainId,
    network,
    start: new Date(timeMillis).toISOString(),
    time_millis: timeMillis,
    pace_millis: paceMillis,
    state_root: await stateRootOf(genesis, chainId),
    outputs: outputs.map(({ address, amount }) => ({ address: text(address), amount })),
    validators: validators.map((validator, index) => ({
      validator_id: genesisValidatorId(hashLabel, index),
      owner_address: text(validator.ownerAddress),
      reward_address: text(validator.rewardAddress),
      amount: validator.amount,
      commission_bps: validator.commissionBps,
      consensus_key_hash: toHex(hashLabel('SVC_KEY_V1', validator.consensusPublicKey)),
      routes: routesOf(validator),
    })),
    odd: remarks(genesis, nowMillis),
  };
}

function row(validator: Summary['validators'][number]): string[] {
  return [
    validator.validator_id,
    `${formatAmount(String(validator.amount))} coins`,
    `commission ${validator.commission_bps}`,
    validator.routes?.join(' ') || 'no route',
  ];
}

/** The root of the state at height 0, which the first cut builds on. */
async function stateRootOf(genesis: Genesis, chainId: string): Promise<string> {
  const parameters = LEDGER_PARAMETERS[genesis.network];
  const store = await openStoreOn(new MemoryStore(), { chainId, parameters, mode: 'full' });
  try {
    const ports = { parameters, hash: hashLabel, commitments: store.commitments };
    return genesisState(ports, genesis).stateRoot;
  } finally {
    await store.close();
  }
}

/** Null if the endpoint is none that this release can read. */
function routesOf({ endpoint }: GenesisValidator): string[] | null {
  try {
    return decodeOverlayEndpoint(endpoint).routes.map(({ host, port }) => `${host}:${port}`);
  } catch (error) {
    if (error instanceof SvcError) return null;
    throw error;
  }
}

/** What is allowed and yet probably not meant. */
function remarks(genesis: Genesis, nowMillis: number): string[] {
  const { timeMillis, validators } = genesis;
  const odd: string[] = [];
  if (timeMillis <= nowMillis)
    odd.push('the chain has begun: whoever starts now comes late, which is safe');
  if (validators.length < 4)
    odd.push(`${validators.length} validators: none may fail; with four, one may`);
  const total = validators.reduce((sum, { amount }) => sum + amount, 0n);
  const places = new Map<string, number>();
  for (const [index, validator] of validators.entries()) {
    const routes = routesOf(validator);
    if (validators.length > 1 && validator.amount * 3n >= total)
      odd.push(
        `validator ${index + 1} has a third of the stake or more: without it nothing is final`,
      );
    if (routes === null) odd.push(`validator ${index + 1} has an overlay endpoint nobody can read`);
    else if (routes.length === 0) odd.push(`validator ${index + 1} has no route to dial`);
    for (const route of routes ?? []) {
      const first = places.get(route);
      if (first !== undefined)
        odd.push(`validators ${first} and ${index + 1} are both at ${route}`);
      else places.set(route, index + 1);
    }
  }
  return odd;
}
