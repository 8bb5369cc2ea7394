/**
 * The genesis document: JSON that names a network, its first outputs and its first validators. The
 * chain id is the hash of its contents in one binary form, so spaces and the order of names in the
 * JSON text make no other chain. Reading is strict; nothing is filled in.
 */
import { type Address, compareText } from '../identifiers.ts';
import {
  COMMISSION_BPS_MAX,
  COMMISSION_BPS_STEP,
  GENESIS_SUPPLY,
  LEDGER_PARAMETERS,
  SELF_BOND_MIN,
} from '../parameters.ts';
import {
  decodeAddress,
  encodeAddress,
  expectNetwork,
  Fields,
  fromHex,
  type Network,
  SvcError,
  toHex,
} from '../protocol.ts';

export const GENESIS_VERSION = 1;
export const GENESIS_OUTPUTS_MAX = 1_024;
export const GENESIS_VALIDATORS_MAX = 64;
const PUBLIC_KEY_BYTES = 1_952;
const ENDPOINT_BYTES_MAX = 1_024;
const PACE_MILLIS_MIN = 50n;
const PACE_MILLIS_MAX = 60_000n;
const TIME_MILLIS_MAX = 253_402_300_799_999n;

export interface GenesisOutput {
  readonly address: Address;
  readonly amount: bigint;
}

export interface GenesisValidator {
  readonly ownerAddress: Address;
  readonly rewardAddress: Address;
  readonly amount: bigint;
  readonly commissionBps: number;
  readonly consensusPublicKey: Uint8Array;
  readonly endpoint: Uint8Array;
}

export interface Genesis {
  readonly network: Network;
  readonly timeMillis: number;
  readonly paceMillis: number;
  readonly workTarget: bigint;
  readonly outputs: readonly GenesisOutput[];
  readonly validators: readonly GenesisValidator[];
}

const FIELDS = [
  'genesis_version',
  'network',
  'time_millis',
  'pace_millis',
  'work_target',
  'outputs',
  'validators',
];
const OUTPUT_FIELDS = ['address', 'amount'];
const VALIDATOR_FIELDS = [
  'owner_address',
  'reward_address',
  'amount',
  'commission_bps',
  'consensus_public_key',
  'overlay_endpoint',
];

export function parseGenesis(text: string): Genesis {
  const fields = Fields.parse(text, '', FIELDS);
  fields.decimal('genesis_version', { min: BigInt(GENESIS_VERSION), max: BigInt(GENESIS_VERSION) });
  const network = expectNetwork(fields.value('network'), 'network');
  const genesis: Genesis = {
    network,
    timeMillis: Number(fields.decimal('time_millis', { max: TIME_MILLIS_MAX })),
    paceMillis: Number(
      fields.decimal('pace_millis', { min: PACE_MILLIS_MIN, max: PACE_MILLIS_MAX }),
    ),
    workTarget: BigInt(`0x${toHex(fields.hex('work_target', 32))}`),
    outputs: fields
      .array('outputs', GENESIS_OUTPUTS_MAX)
      .map((item, i) => parseOutput(new Fields(item, `outputs[${i}]`, OUTPUT_FIELDS), network)),
    validators: fields
      .array('validators', GENESIS_VALIDATORS_MAX)
      .map((item, i) =>
        parseValidator(new Fields(item, `validators[${i}]`, VALIDATOR_FIELDS), network),
      ),
  };
  checkGenesis(genesis);
  return genesis;
}

function parseAddress(fields: Fields, name: string, network: Network): Address {
  return toHex(decodeAddress(fields.value(name), network, fields.at(name)));
}

function parseAmount(fields: Fields, min: bigint): bigint {
  return fields.decimal('amount', { min, max: GENESIS_SUPPLY });
}

function parseOutput(fields: Fields, network: Network): GenesisOutput {
  return { address: parseAddress(fields, 'address', network), amount: parseAmount(fields, 1n) };
}

function parseValidator(fields: Fields, network: Network): GenesisValidator {
  const commission = fields.decimal('commission_bps', { max: BigInt(COMMISSION_BPS_MAX) });
  return {
    ownerAddress: parseAddress(fields, 'owner_address', network),
    rewardAddress: parseAddress(fields, 'reward_address', network),
    amount: parseAmount(fields, SELF_BOND_MIN),
    commissionBps: Number(commission),
    consensusPublicKey: fields.hex('consensus_public_key', PUBLIC_KEY_BYTES),
    endpoint: fields.hex('overlay_endpoint'),
  };
}

/** Refuses a genesis that no chain can start from. */
export function checkGenesis(genesis: Genesis): void {
  const { outputs, validators } = genesis;
  if (validators.length === 0) {
    throw new SvcError('out_of_range', 'expected at least one validator', { path: 'validators' });
  }
  const sum = [...outputs, ...validators].reduce((total, { amount }) => total + amount, 0n);
  if (sum !== GENESIS_SUPPLY) {
    throw new SvcError(
      'bad_amount',
      `outputs and bonds must sum to ${GENESIS_SUPPLY} atoms, found ${sum}`,
    );
  }
  const { workTargetMin, workTargetMax } = LEDGER_PARAMETERS[genesis.network];
  if (genesis.workTarget < workTargetMin || genesis.workTarget > workTargetMax) {
    throw new SvcError('out_of_range', 'outside the targets of the network', {
      path: 'work_target',
    });
  }
  validators.forEach(checkValidator);
  const keys = validators.map(({ consensusPublicKey }) => toHex(consensusPublicKey));
  keys.sort(compareText);
  if (keys.some((key, index) => key === keys[index + 1])) {
    throw new SvcError('not_canonical', 'two validators have the same consensus key', {
      path: 'validators',
    });
  }
}

function checkValidator({ commissionBps, endpoint }: GenesisValidator, index: number): void {
  const path = `validators[${index}]`;
  if (commissionBps % COMMISSION_BPS_STEP !== 0) {
    throw new SvcError('out_of_range', `expected a multiple of ${COMMISSION_BPS_STEP}`, {
      path: `${path}.commission_bps`,
    });
  }
  if (endpoint.length === 0 || endpoint.length > ENDPOINT_BYTES_MAX) {
    throw new SvcError('bad_length', `expected 1 to ${ENDPOINT_BYTES_MAX} bytes`, {
      path: `${path}.overlay_endpoint`,
    });
  }
}

/** The document as JSON text, readable by `parseGenesis`. */
export function formatGenesis(genesis: Genesis): string {
  checkGenesis(genesis);
  const address = (hex: Address): string => encodeAddress(fromHex(hex), genesis.network);
  const document = {
    genesis_version: String(GENESIS_VERSION),
    network: genesis.network,
    time_millis: String(genesis.timeMillis),
    pace_millis: String(genesis.paceMillis),
    work_target: genesis.workTarget.toString(16).padStart(64, '0'),
    outputs: genesis.outputs.map((output) => ({
      address: address(output.address),
      amount: String(output.amount),
    })),
    validators: genesis.validators.map((validator) => ({
      owner_address: address(validator.ownerAddress),
      reward_address: address(validator.rewardAddress),
      amount: String(validator.amount),
      commission_bps: String(validator.commissionBps),
      consensus_public_key: toHex(validator.consensusPublicKey),
      overlay_endpoint: toHex(validator.endpoint),
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
