/**
 * What can be checked of a validator without its node: settings, key files, overlay keys, disk.
 */
import { existsSync, readdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from 'svc-base/node';
import { type KeyFilePlace, openKeyFile } from 'svc-consensus/signer';
import { addressFromPublicKey } from 'svc-wasm';
import { toHex, wipe } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import type { NodeConfig } from '../../config/node-config.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface LocalFindings {
  readonly checks: readonly Check[];
  /** Null if the key could not be opened. */
  readonly consensusKeyHex: string | null;
  readonly feeAddress: string | null;
}

const DISK_BYTES_MIN = 10 * 2 ** 30;

export function checkLocally(config: NodeConfig): LocalFindings {
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
