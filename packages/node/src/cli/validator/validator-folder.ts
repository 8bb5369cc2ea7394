/**
 * The folder of a new validator: keys sealed under passwords of their own, overlay keys, the empty record of what the
 * consensus key signed, and the application for a genesis. It is the data directory of its node. Files that are
 * there already are never written over.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT } from 'svc-base/cli';
import { createSecret, NATIVE_PASSWORD_HASH, replaceFileSync } from 'svc-base/node';
import { openOverlayEndpoint } from 'svc-network/endpoint';
import { addressFromPublicKey } from 'svc-wasm';
import { type Network, toHex, wipe } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { type KeyKind, keyHash, sealKeyFile } from 'svc-wasm/protocol';
import type { Bind } from '../../config/bind.ts';
import type { ConsensusKeyConfig } from '../../config/node-config.ts';
import { beginRecord } from '../../validator/start-validator.ts';
import { formatApplication } from '../genesis/application.ts';

export interface ValidatorFolderOptions {
  readonly directory: string;
  readonly network: Network;
  /** Where other validators reach it. */
  readonly routes: readonly Bind[];
  readonly ownerAddress: string;
  readonly rewardAddress: string;
  readonly amountAtoms: bigint;
  readonly commissionBps: number;
  /** Settings of node.json beside those of the validator. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface ValidatorFolder {
  readonly applicationFile: string;
  readonly feeAddress: string;
  readonly consensusPublicKey: string;
}

export const APPLICATION_FILE = 'application.json';
const KEYS = 'keys';
const PASSWORD_BYTES = 32;
/** Keys of a development network guard nothing, and its tests make many. */
const DEVELOPMENT_COST = '{"memory_kib":"7168","passes":"5"}';
/** A heartbeat costs a hundredth of this at the least rate. */
const MAX_FEE_ATOMS = '1000000000';

export async function makeValidatorFolder(
  options: ValidatorFolderOptions,
): Promise<ValidatorFolder> {
  const { directory, network, routes } = options;
  expectNew(directory);
  mkdirSync(join(directory, KEYS), { recursive: true, mode: 0o700 });
  const consensus = await makeKey(directory, 'consensus', network);
  const fee = await makeKey(directory, 'heartbeat_fee', network);
  wipe(fee.secretKey);
  const overlay = join(directory, 'network', 'validator-overlay');
  const endpoint = await openOverlayEndpoint(overlay, routes);
  const key = { id: keyHash(consensus.publicKey), sign: () => new Uint8Array(0) };
  beginRecord(join(directory, 'validator', 'own'), key);
  const feeAddress = addressFromPublicKey(fee.publicKey, network);
  const consensusPublicKey = toHex(consensus.publicKey);
  const terms = {
    network,
    owner_address: options.ownerAddress,
    reward_address: options.rewardAddress,
    amount: String(options.amountAtoms),
    commission_bps: String(options.commissionBps),
    consensus_public_key: consensusPublicKey,
    overlay_endpoint: toHex(endpoint),
    fee_address: feeAddress,
  };
  const applicationFile = join(directory, APPLICATION_FILE);
  replaceFileSync(applicationFile, formatApplication(terms, consensus.secretKey));
  wipe(consensus.secretKey);
  replaceFileSync(
    join(directory, 'node.json'),
    `${JSON.stringify(settingsOf(options), null, 2)}\n`,
  );
  return { applicationFile, feeAddress, consensusPublicKey };
}

/** Paths count from the directory that the node is started in, which is the folder itself. */
function settingsOf({ network, settings }: ValidatorFolderOptions): object {
  return {
    network,
    ...settings,
    ...(network === 'development' ? {} : { proof_of_work: { mode: 'full' } }),
    validator: {
      consensus_key_file: `${KEYS}/consensus`,
      password_file: `${KEYS}/consensus.password`,
      heartbeat: {
        fee_key_file: `${KEYS}/heartbeat_fee`,
        fee_key_password_file: `${KEYS}/heartbeat_fee.password`,
        max_fee_atoms: MAX_FEE_ATOMS,
      },
    },
  };
}

function expectNew(directory: string): void {
  const taken = ['node.json', KEYS, 'validator', 'network', APPLICATION_FILE].find((name) =>
    existsSync(join(directory, name)),
  );
  if (taken === undefined) return;
  throw new CliError(EXIT.refused, `${join(directory, taken)} is there already`, {
    hint: 'the keys of a validator are never written over; name another --data-dir',
  });
}

export interface KeyPair {
  readonly publicKey: Uint8Array;
  /** The caller wipes it. */
  readonly secretKey: Uint8Array;
}

function makeKey(directory: string, kind: KeyKind, network: Network): Promise<KeyPair> {
  const file = join(directory, KEYS, kind);
  const files = { consensusKeyFile: file, passwordFile: `${file}.password` };
  return makeKeyFiles(files, kind, network);
}

/** Makes a key pair, sealed under a password of its own. */
export async function makeKeyFiles(
  { consensusKeyFile: file, passwordFile }: ConsensusKeyConfig,
  kind: KeyKind,
  network: Network,
): Promise<KeyPair> {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const seed = new Uint8Array(randomBytes(32));
  try {
    const cost = network === 'development' ? DEVELOPMENT_COST : undefined;
    const sealed = sealKeyFile(seed, { kind, network }, password, cost, NATIVE_PASSWORD_HASH);
    await createSecret(passwordFile, new TextEncoder().encode(`${password}\n`));
    await createSecret(file, sealed);
    return mlDsa65.keygen(seed);
  } finally {
    wipe(seed);
  }
}
