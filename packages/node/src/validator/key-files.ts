/**
 * The keys of a validator from the files that its configuration names.
 */
import { ValidatorKey } from 'svc-consensus/shell';
import { type KeyFilePlace, openKeyFile } from 'svc-consensus/signer';
import { type Network, wipe } from 'svc-wasm/base';
import type { ConsensusKeyConfig, HeartbeatConfig } from '../config/node-config.ts';

/** Throws a `ConfigError` that names the file and what is wrong with it. */
export function readConsensusKeyFile(config: ConsensusKeyConfig, network: Network): ValidatorKey {
  return readKey({
    keyFile: config.consensusKeyFile,
    keySetting: 'validator.consensus_key_file',
    passwordFile: config.passwordFile,
    passwordSetting: 'validator.password_file',
    kind: 'consensus',
    network,
  });
}

export function readNextKeyFile(config: ConsensusKeyConfig, network: Network): ValidatorKey {
  return readKey({
    keyFile: config.consensusKeyFile,
    keySetting: 'validator.next_consensus_key_file',
    passwordFile: config.passwordFile,
    passwordSetting: 'validator.next_password_file',
    kind: 'consensus',
    network,
  });
}

export function readFeeKeyFile(config: HeartbeatConfig, network: Network): ValidatorKey {
  return readKey({
    keyFile: config.feeKeyFile,
    keySetting: 'validator.heartbeat.fee_key_file',
    passwordFile: config.feeKeyPasswordFile,
    passwordSetting: 'validator.heartbeat.fee_key_password_file',
    kind: 'heartbeat_fee',
    network,
  });
}

function readKey(place: KeyFilePlace): ValidatorKey {
  const seed = openKeyFile(place);
  try {
    return ValidatorKey.fromSeed(seed);
  } finally {
    wipe(seed);
  }
}
