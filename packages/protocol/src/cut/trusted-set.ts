/**
 * What a light client trusts: a validator set and the cut it was learnt from. As JSON it is
 * `{api_version, network, chain_id, height, time, cut_id, validator_set}`; `validator_set` is the preimage,
 * in hexadecimal, of the set that signs the cuts after `height`.
 */
import { toHex } from '../base/bytes.ts';
import { Fields, U64_MAX } from '../base/fields.ts';
import { expectNetwork, type Network } from '../base/networks.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import type { ValidatorSet } from './validator-set.ts';
import { decodeValidatorSet } from './validator-set.ts';

const API_VERSION = 1;

/** What `advanceValidatorSet` takes and returns. */
export interface TrustedSetDocument {
  readonly api_version: 1;
  readonly network: Network;
  readonly chain_id: string;
  readonly height: string;
  readonly time: string;
  readonly cut_id: string;
  readonly validator_set: string;
}

export interface TrustedSet {
  readonly network: Network;
  readonly chainId: Uint8Array;
  readonly height: bigint;
  /** Unix milliseconds. */
  readonly time: bigint;
  readonly cutId: Uint8Array;
  readonly encodedSet: Uint8Array;
  readonly set: ValidatorSet;
}

export function parseTrustedSet(json: string, path = 'trusted'): TrustedSet {
  const names = ['api_version', 'network', 'chain_id', 'height', 'time', 'cut_id', 'validator_set'];
  const fields = Fields.parse(json, path, names);
  const version = fields.value('api_version');
  if (version !== API_VERSION) {
    throw new SvcError('unsupported_version', `expected api_version ${API_VERSION}`, {
      path: fields.at('api_version'),
    });
  }
  const encodedSet = fields.hex('validator_set');
  return {
    network: expectNetwork(fields.value('network'), fields.at('network')),
    chainId: fields.hex('chain_id', ID_BYTES),
    height: fields.decimal('height', { max: U64_MAX }),
    time: fields.decimal('time', { max: U64_MAX }),
    cutId: fields.hex('cut_id', ID_BYTES),
    encodedSet,
    set: decodeValidatorSet(encodedSet, fields.at('validator_set')),
  };
}

export function trustedSetJson(trusted: Omit<TrustedSet, 'set'>): string {
  return JSON.stringify({
    api_version: API_VERSION,
    network: trusted.network,
    chain_id: toHex(trusted.chainId),
    height: trusted.height.toString(),
    time: trusted.time.toString(),
    cut_id: toHex(trusted.cutId),
    validator_set: toHex(trusted.encodedSet),
  } satisfies TrustedSetDocument);
}
