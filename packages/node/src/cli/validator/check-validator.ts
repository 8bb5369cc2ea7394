/**
 * `svcd validator-check`: everything that a validator needs, before it costs anything.
 */
import { existsSync, readdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AddressBalance, Cuts, StakingValidator, StatusDocument, SyncDocument } from 'svc-api';
import { CliError, columns, EXIT, note, result, resultJson } from 'svc-base/cli';
import { ConfigError } from 'svc-base/node';
import { type KeyFilePlace, openKeyFile } from 'svc-consensus/signer';
import { addressFromPublicKey, init } from 'svc-wasm';
import { toHex, wipe } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import type { HeartbeatConfig, NodeConfig } from '../../config/node-config.ts';
import { safeText } from '../../log/log-text.ts';
import type { CommandOptions } from '../config-options.ts';
import { configOf } from '../load-config.ts';
import type { NodeClient } from '../status/node-client.ts';
import { askNode, clientOf, type NodeReport } from '../status/show-status.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

interface LocalFindings {
  readonly checks: readonly Check[];
  /** Null if the key could not be opened. */
  readonly consensusKeyHex: string | null;
  readonly feeAddress: string | null;
}

const DISK_BYTES_MIN = 10 * 2 ** 30;

/**
 * What can be checked of a validator without its node: settings, key files, overlay keys, disk.
 */
function checkLocally(config: NodeConfig): LocalFindings {
  const { validator, network, dataDir } = config;
  if (validator === null) {
    const detail = 'there is no validator section; give consensus_key_file and password_file';
    return failed({ name: 'configuration', ok: false, detail });
  }
  const consensus =
    validator.signer !== null
      ? { publicKey: null, detail: 'with the remote signer; the log of the node tells of it' }
      : openKey({
          keyFile: validator.consensusKeyFile,
          keySetting: 'validator.consensus_key_file',
          passwordFile: validator.passwordFile,
          passwordSetting: 'validator.password_file',
          kind: 'consensus',
          network,
        });
  const { heartbeat } = validator;
  const fee =
    heartbeat === null
      ? {
          publicKey: null,
          detail: 'there is no heartbeat section; heartbeats must be sent by hand',
        }
      : openKey({
          keyFile: heartbeat.feeKeyFile,
          keySetting: 'validator.heartbeat.fee_key_file',
          passwordFile: heartbeat.feeKeyPasswordFile,
          passwordSetting: 'validator.heartbeat.fee_key_password_file',
          kind: 'heartbeat_fee',
          network,
        });
  const feeAddress = fee.publicKey === null ? null : addressFromPublicKey(fee.publicKey, network);
  return {
    checks: [
      { name: 'configuration', ok: true, detail: `storage ${config.storage.mode}` },
      {
        name: 'proof of work',
        ok: config.proofOfWork.mode === 'full',
        detail: config.proofOfWork.mode,
      },
      {
        name: 'consensus key',
        ok: validator.signer !== null || consensus.publicKey !== null,
        detail: consensus.detail,
      },
      { name: 'fee key', ok: feeAddress !== null, detail: feeAddress ?? fee.detail },
      checkOverlayKeys(dataDir),
      checkDisk(dataDir),
    ],
    consensusKeyHex: consensus.publicKey === null ? null : toHex(consensus.publicKey),
    feeAddress,
  };
}

function failed(check: Check): LocalFindings {
  return { checks: [check], consensusKeyHex: null, feeAddress: null };
}

function openKey(place: KeyFilePlace): { publicKey: Uint8Array | null; detail: string } {
  try {
    const seed = openKeyFile(place);
    const { publicKey, secretKey } = mlDsa65.keygen(seed);
    wipe(seed);
    wipe(secretKey);
    return { publicKey, detail: `${place.keyFile} opens` };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { publicKey: null, detail: error.message };
  }
}

function checkOverlayKeys(dataDir: string): Check {
  const directory = join(dataDir, 'network', 'validator-overlay');
  const ok = existsSync(directory) && readdirSync(directory).length > 0;
  const detail = ok ? directory : 'there are none yet; run `svcd validator-endpoint`';
  return { name: 'overlay keys', ok, detail };
}

function checkDisk(dataDir: string): Check {
  let place = dataDir;
  while (!existsSync(place)) place = dirname(place);
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  return {
    name: 'disk',
    ok: free >= DISK_BYTES_MIN,
    detail: `${(free / 2 ** 30).toFixed(1)} GiB free, expected ${DISK_BYTES_MIN / 2 ** 30}`,
  };
}

/** Heartbeats that the fee address should be able to pay, one for each epoch. */
const HEARTBEATS_MIN = 10n;
/** A head from the future means that the clock of this machine is behind. */
const CLOCK_BEHIND_MILLIS = 500;
const HEAD_AGE_MILLIS_MAX = 60_000;

/**
 * What a running node says about whether it can be a validator, and about the validator on the chain.
 */
async function checkNode(
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
    ...(heartbeat === null ? [] : [await checkOnChain(client, validatorId, local)]),
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

async function checkOnChain(
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

export async function checkValidator(options: CommandOptions): Promise<void> {
  await init();
  const { config } = configOf(options);
  const local = checkLocally(config);
  const node = await checkNode(clientOf(options), config, local).catch(unreachable);
  const checks = [...local.checks, ...node];
  const ok = checks.every((check) => check.ok);
  if (options['json'] === true) resultJson({ ok, checks });
  else result(columns(checks.map(row)));
  if (ok) return;
  note('something is missing; whether others can reach the routes is not checked from here');
  process.exitCode = EXIT.failed;
}

function row({ name, ok, detail }: Check): string[] {
  return [ok ? 'ok' : 'MISSING', name, safeText(detail)];
}

function unreachable(error: unknown): Check[] {
  if (!(error instanceof CliError)) throw error;
  return [{ name: 'node', ok: false, detail: error.message }];
}
