/**
 * What the operator of a validator does with the owner's wallet. Consensus keys come from the top of the
 * wallet's receiving branch, where no address is ever given out.
 */
import { addressFromPublicKey, BRANCHES, formatAmount, type OperationRequest } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { reading } from '../../node/node-fault.ts';
import { ACCOUNT } from '../../spend/build.ts';
import type { Workbench } from '../../spend/workbench.ts';
import type { OwnAddress } from '../../state/addresses.ts';
import type { Made } from '../record.ts';
import { findPosition, firstOwner, makeOperation } from './operation.ts';

export interface RegisterParams {
  readonly amount: string;
  readonly overlay_endpoint_hex: string;
  readonly commission_bps: number;
  readonly reward_address?: string;
  readonly consensus_key_index: number;
}

export interface ConsensusKeyParams {
  readonly validator: string;
  readonly consensus_key_index: number;
  readonly overlay_endpoint_hex: string;
}

export async function makeRegister(bench: Workbench, params: RegisterParams): Promise<Made> {
  const owner = firstOwner(bench);
  const rewardAddress = params.reward_address ?? owner.address;
  return await makeOperation(bench, {
    kind: 'validator_register',
    owner,
    bonded: BigInt(params.amount),
    possession: params.consensus_key_index,
    request: {
      type: 'validator_register',
      data: {
        owner_address: owner.address,
        reward_address: rewardAddress,
        amount: params.amount,
        commission_bps: String(params.commission_bps),
        consensus_public_key_hex: consensusKey(bench, params.consensus_key_index),
        overlay_endpoint_hex: params.overlay_endpoint_hex,
      },
    },
    facts: {
      owner_address: owner.address,
      reward_address: rewardAddress,
      amount: formatAmount(params.amount),
      commission_bps: params.commission_bps,
      consensus_key_index: params.consensus_key_index,
    },
  });
}

export function makeRotate(bench: Workbench, params: ConsensusKeyParams): Promise<Made> {
  return withConsensusKey(bench, params, 'rotate_key', 'validator_rotate');
}

export function makeEndpoint(bench: Workbench, params: ConsensusKeyParams): Promise<Made> {
  return withConsensusKey(bench, params, 'endpoint', 'validator_endpoint');
}

async function withConsensusKey(
  bench: Workbench,
  params: ConsensusKeyParams,
  type: 'rotate_key' | 'endpoint',
  kind: string,
): Promise<Made> {
  const owner = await ownerOf(bench, params.validator);
  const data = {
    validator_id: params.validator,
    consensus_public_key_hex: consensusKey(bench, params.consensus_key_index),
    overlay_endpoint_hex: params.overlay_endpoint_hex,
  };
  const { validator, consensus_key_index } = params;
  return await makeOperation(bench, {
    kind,
    owner,
    possession: consensus_key_index,
    request: { type, data },
    facts: { validator, consensus_key_index },
  });
}

export async function makeCommission(
  bench: Workbench,
  params: { readonly validator: string; readonly commission_bps: number },
): Promise<Made> {
  const { validator, commission_bps } = params;
  return await ofValidator(
    bench,
    validator,
    'validator_commission',
    {
      type: 'commission',
      data: { validator_id: validator, commission_bps: String(commission_bps) },
    },
    { validator, commission_bps },
  );
}

export async function makeExit(
  bench: Workbench,
  { validator }: { readonly validator: string },
): Promise<Made> {
  const request: OperationRequest = { type: 'exit', data: { validator_id: validator } };
  return await ofValidator(bench, validator, 'validator_exit', request, { validator });
}

export async function makeRewardAddress(
  bench: Workbench,
  params: { readonly position: string; readonly to: string },
): Promise<Made> {
  const { owner } = await findPosition(
    bench,
    ({ position }) => position === params.position,
    'position',
  );
  return await makeOperation(bench, {
    kind: 'reward_address',
    owner,
    request: {
      type: 'reward_address',
      data: { position_id: params.position, reward_address: params.to },
    },
    facts: { position: params.position, to: params.to },
  });
}

/** Signed by the consensus key, which owns no coins; the wallet's coins pay. */
export async function makeHeartbeat(
  bench: Workbench,
  params: { readonly validator: string; readonly consensus_key_index: number },
): Promise<Made> {
  const { validator, consensus_key_index } = params;
  const { epoch } = await reading(bench.client.chainHead());
  return await makeOperation(bench, {
    kind: 'validator_heartbeat',
    owner: consensusOwner(bench, consensus_key_index),
    request: { type: 'heartbeat', data: { validator_id: validator, epoch: String(epoch) } },
    facts: { validator, epoch },
  });
}

function consensusOwner({ context, keychain }: Workbench, position: number): OwnAddress {
  const publicKey = keychain.root.derivePublicKey(ACCOUNT, BRANCHES.receive, position);
  return {
    id: -1,
    branch: BRANCHES.receive,
    position,
    address: addressFromPublicKey(publicKey, context.terms.network),
    label: null,
    issuedAtMillis: null,
    usedHeight: null,
    isKeyRegistered: false,
    balance: 0n,
    outputCount: 0,
  };
}

async function ofValidator(
  bench: Workbench,
  validator: string,
  kind: string,
  request: OperationRequest,
  facts: object,
): Promise<Made> {
  const owner = await ownerOf(bench, validator);
  return await makeOperation(bench, { kind, owner, request, facts });
}

/** The owner of a validator is the owner of its self-bond. */
async function ownerOf(bench: Workbench, validator: string): Promise<OwnAddress> {
  const { owner } = await findPosition(
    bench,
    (position) => position.kind === 'self_bond' && position.validator === validator,
    'validator',
  );
  return owner;
}

function consensusKey({ keychain }: Workbench, index: number): string {
  return toHex(keychain.root.derivePublicKey(ACCOUNT, BRANCHES.receive, index));
}
