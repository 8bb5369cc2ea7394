/**
 * The `validator` section: all of it or nothing, and a node that can be a validator.
 */

import { isAbsolute } from 'node:path';
import { ConfigError } from 'svc-base/node';
import { parseHostPort } from './http-names.ts';
import type { Settings } from './layer.ts';
import type { HeartbeatConfig, SignerConfig, ValidatorConfig } from './node-config.ts';
import type { SettingPath } from './settings.ts';

/** Behind the names of the files of a key: those of the key that follows it. */
const NEXT = '.next';

type PathOf = (path: SettingPath) => string | null;

export function resolveValidator(settings: Settings, pathOf: PathOf): ValidatorConfig | null {
  if (!settings.hasSection('validator')) return null;
  if (settings.isGiven('validator.signer')) return resolveRemote(settings, pathOf);
  expectAll(settings, 'validator', ['validator.consensus_key_file', 'validator.password_file']);
  expectAble(settings);
  const consensusKeyFile = pathOf('validator.consensus_key_file') as string;
  const passwordFile = pathOf('validator.password_file') as string;
  return {
    consensusKeyFile,
    passwordFile,
    signer: null,
    next: {
      consensusKeyFile: pathOf('validator.next_consensus_key_file') ?? consensusKeyFile + NEXT,
      passwordFile: pathOf('validator.next_password_file') ?? passwordFile + NEXT,
    },
    heartbeat: resolveHeartbeat(settings, pathOf),
  };
}

/** The port of a signer if none is given. */
const SIGNER_PORT = 28_795;

function resolveRemote(settings: Settings, pathOf: PathOf): ValidatorConfig {
  const path = 'validator.signer';
  for (const other of ['validator.consensus_key_file', 'validator.password_file'] as const)
    if (settings.isGiven(other))
      throw new ConfigError(
        settings.origin(other),
        other,
        'the key is with the signer of validator.signer; take one of the two away',
      );
  expectAble(settings);
  return {
    signer: signerOf(settings, pathOf, path),
    heartbeat: resolveHeartbeat(settings, pathOf),
  };
}

function signerOf(settings: Settings, pathOf: PathOf, path: 'validator.signer'): SignerConfig {
  const found = settings.get(path) as string;
  if (isAbsolute(found)) return { path: found };
  const place = parseHostPort(found, SIGNER_PORT);
  if (place === undefined) {
    const problem = `expected the absolute path of a socket, or host:port, found ${found}`;
    throw new ConfigError(settings.origin(path), path, problem);
  }
  expectAll(settings, 'validator.signer', [
    'validator.signer_fingerprint',
    'validator.signer_certificate_file',
    'validator.signer_key_file',
  ]);
  return {
    ...place,
    fingerprint: settings.get('validator.signer_fingerprint') as string,
    certificateFile: pathOf('validator.signer_certificate_file') as string,
    keyFile: pathOf('validator.signer_key_file') as string,
  };
}

function resolveHeartbeat(settings: Settings, pathOf: PathOf): HeartbeatConfig | null {
  if (!settings.hasSection('validator.heartbeat')) return null;
  expectAll(settings, 'validator.heartbeat', [
    'validator.heartbeat.fee_key_file',
    'validator.heartbeat.fee_key_password_file',
    'validator.heartbeat.max_fee_atoms',
  ]);
  const rate = settings.get('validator.heartbeat.fee_rate_per_mass');
  return {
    validatorId: settings.get('validator.heartbeat.validator_id'),
    feeKeyFile: pathOf('validator.heartbeat.fee_key_file') as string,
    feeKeyPasswordFile: pathOf('validator.heartbeat.fee_key_password_file') as string,
    maxFeeAtoms: BigInt(settings.get('validator.heartbeat.max_fee_atoms') as string),
    feeRatePerMass: rate === null ? null : BigInt(rate),
  };
}

function expectAll(settings: Settings, section: string, paths: readonly SettingPath[]): void {
  const missing = paths.filter((path) => !settings.isGiven(path));
  if (missing.length === 0) return;
  throw new ConfigError('', section, `is incomplete: ${missing.join(' and ')} must be given too`);
}

/** A validator executes every cut from the genesis on and checks work from the dataset. */
function expectAble(settings: Settings): void {
  if (settings.get('storage.mode') === 'pruned') {
    throw new ConfigError(
      settings.origin('storage.mode'),
      'storage.mode',
      'a validator needs full or archive, found pruned',
    );
  }
  if (settings.get('peers.certificate_every_cuts') > 1) {
    throw new ConfigError(
      settings.origin('peers.certificate_every_cuts'),
      'peers.certificate_every_cuts',
      'a validator needs every certificate, so expected 1',
    );
  }
  const isLight = settings.get('proof_of_work.mode') === 'light';
  if (isLight && settings.get('network') !== 'development') {
    throw new ConfigError(
      settings.origin('proof_of_work.mode'),
      'proof_of_work.mode',
      'a validator needs full, found light; add --pow-mode full',
    );
  }
}
