/**
 * What a running node says about whether it can be a validator, and about the validator on the chain.
 */
import type { AddressBalance, Cuts, StakingValidator, StatusDocument, SyncDocument } from 'svc-api';
import type { HeartbeatConfig, NodeConfig } from '../../config/node-config.ts';
import type { NodeClient } from '../status/node-client.ts';
import { askNode, type NodeReport } from '../status/show-status.ts';
import type { Check, LocalFindings } from './local-checks.ts';

/** Heartbeats that the fee address should be able to pay, one for each epoch. */
const HEARTBEATS_MIN = 10n;
/** A head from the future means that the clock of this machine is behind. */
const CLOCK_BEHIND_MILLIS = 500;
const HEAD_AGE_MILLIS_MAX = 60_000;

export async function checkNode(
  client: NodeClient,
  config: NodeConfig,
  local: LocalFindings,
): Promise<Check[]> {
  const report = await askNode(client);
  const { status, sync } = report;
  const first = (await client.get<Cuts>('/v1/cuts?before=2&limit=1'))?.cuts[0];
  const heartbeat = config.validator?.heartbeat ?? null;
  const validatorId = heartbeat?.validatorId ?? status.validator?.validator_id ?? null;
  return [
    checkNetwork(status, config),
    checkSync(sync),
    {
      name: 'from genesis',
      ok: first?.height === 1 && first.transactions !== null,
      detail: 'a validator has executed every cut; a node that started from a snapshot has not',
    },
    { name: 'storage', ok: status.storage_mode !== 'pruned', detail: status.storage_mode },
    checkClock(report),
    ...(heartbeat === null ? [] : [await checkValidator(client, validatorId, local)]),
    ...(heartbeat === null ? [] : [await checkFunds(client, heartbeat, local)]),
  ];
}

function checkNetwork({ network }: StatusDocument, config: NodeConfig): Check {
  const ok = network === config.network;
  return { name: 'network', ok, detail: ok ? network : `${network}, configured ${config.network}` };
}

function checkSync({ synced, behind_by: behindBy }: SyncDocument): Check {
  return { name: 'synced', ok: synced, detail: synced ? 'yes' : `behind by ${behindBy} cuts` };
}

function checkClock({ headAgeMillis }: NodeReport): Check {
  const age = headAgeMillis ?? 0;
  const ok = age > -CLOCK_BEHIND_MILLIS && age < HEAD_AGE_MILLIS_MAX;
  return { name: 'clock', ok, detail: `the last cut is ${(age / 1_000).toFixed(1)} s old` };
}

async function checkValidator(
  client: NodeClient,
  validatorId: string | null,
  { consensusKeyHex }: LocalFindings,
): Promise<Check> {
  const name = 'validator';
  if (validatorId === null)
    return { name, ok: false, detail: 'no validator with the key here is registered yet' };
  const document = await client.get<StakingValidator>(`/v1/staking/validators/${validatorId}`);
  if (document === undefined) {
    return { name, ok: false, detail: `${validatorId} is not registered on this chain` };
  }
  const { validator: found } = document;
  if (consensusKeyHex !== null && found.consensus_key !== consensusKeyHex) {
    return { name, ok: false, detail: `${validatorId} signs with another key than the one here` };
  }
  const ok = ['live', 'registered'].includes(found.state);
  return { name, ok, detail: `${found.state}${found.committee ? ', in the committee' : ''}` };
}

async function checkFunds(
  client: NodeClient,
  { maxFeeAtoms }: HeartbeatConfig,
  { feeAddress }: LocalFindings,
): Promise<Check> {
  const name = 'fee address';
  if (feeAddress === null) return { name, ok: false, detail: 'the fee key could not be opened' };
  const found = await client.get<AddressBalance>(`/v1/address/${feeAddress}/balance`);
  const balance = BigInt(found?.balance ?? '0');
  const needed = maxFeeAtoms * HEARTBEATS_MIN;
  return {
    name,
    ok: balance >= needed,
    detail: `${feeAddress} holds ${balance} atoms, ${HEARTBEATS_MIN} heartbeats may cost ${needed}`,
  };
}
