/**
 * Transactions that carry a staking operation. The owner signs it; the wallet's coins pay the fee and what is
 * bonded.
 */

import type { StakingPosition } from 'svc-api';
import type { OperationRequest } from 'svc-wasm';
import { coinsOf } from '../amounts.ts';
import { WalletError } from '../errors.ts';
import type { Made } from '../journal/record.ts';
import { reading } from '../node/node-fault.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import type { OwnAddress, SpendingAddress } from '../state/addresses.ts';
import type { WalletPorts } from './method.ts';

const ADDRESSES_PER_REQUEST = 64;
/** A genesis gives each stake to an address of its own, which no payment of the chain leads to. */
const FIRST_OWNERS = 64;

export interface OperationTask {
  readonly kind: string;
  readonly owner: SpendingAddress;
  readonly request: OperationRequest;
  readonly bonded?: bigint;
  readonly possession?: number;
  /** What the result says beside fee and transaction. */
  readonly facts: object;
  readonly feePerMass?: string | undefined;
}

export async function makeOperation(builder: PaymentBuilder, task: OperationTask): Promise<Made> {
  const bonded = task.bonded ?? 0n;
  const plan = await builder.plan({
    payments: [],
    subtractFee: false,
    operation: {
      request: task.request,
      owner: task.owner,
      bonded,
      ...(task.possession === undefined ? {} : { possession: { position: task.possession } }),
    },
    ...(task.feePerMass === undefined ? {} : { feePerMass: BigInt(task.feePerMass) }),
  });
  const built = builder.build(plan);
  const result = {
    kind: task.kind,
    ...task.facts,
    fee: coinsOf(plan.fee),
    fee_per_mass: String(plan.feePerMass),
    transaction: built.transactionId,
  };
  const recipients = [{ ...task.facts }];
  return { transactions: [{ kind: task.kind, built, amount: bonded, recipients }], result };
}

/** What positions are read with: a builder, or parts of an open wallet. */
export type PositionReader = Pick<PaymentBuilder, 'client' | 'keychain' | 'state'>;

export function positionReader({ keychain, node, state }: WalletPorts): PositionReader {
  return { client: node.client, keychain, state };
}

/** The wallet's first address, marked as one whose positions are read from now on. */
export function firstOwner({ keychain, state }: PositionReader): OwnAddress {
  const owner = keychain.first();
  state.addresses.setOwner(owner.id);
  return owner;
}

/** Reads the positions of the wallet's first addresses and of those that owned a position before. */
export async function readPositions(builder: PositionReader): Promise<StakingPosition[]> {
  const { addresses: book } = builder.state;
  const first = builder.keychain.first();
  const owners = new Set([first.address]);
  for (let position = 1; position < Math.min(FIRST_OWNERS, book.derived(0)); position++)
    owners.add((book.at(0, position) as OwnAddress).address);
  for (const { address } of book.owners()) owners.add(address);
  const positions: StakingPosition[] = [];
  const addresses = [...owners];
  for (let at = 0; at < addresses.length; at += ADDRESSES_PER_REQUEST) {
    const some = addresses.slice(at, at + ADDRESSES_PER_REQUEST);
    const answer = await reading(builder.client.stakingPositions({ addresses: some }));
    positions.push(...answer.positions);
  }
  return positions;
}

/** The part of a position that is bonded: its principal without what is unbonding. */
export function bondedOf({ principal, unbonding }: StakingPosition): bigint {
  return unbonding.reduce((rest, { amount }) => rest - BigInt(amount), BigInt(principal));
}

/** A position of the wallet and the address that owns it. */
export async function findPosition(
  builder: PositionReader,
  matches: (position: StakingPosition) => boolean,
  path: string,
): Promise<{ position: StakingPosition; owner: OwnAddress }> {
  const position = (await readPositions(builder)).find(matches);
  const owner =
    position === undefined ? undefined : builder.state.addresses.find(position.owner_address);
  if (position !== undefined && owner !== undefined) return { position, owner };
  throw new WalletError('unknown_position', 'no address of this wallet owns it', { path });
}

export function findOwnPosition(
  builder: PositionReader,
  id: string,
): ReturnType<typeof findPosition> {
  return findPosition(builder, ({ position }) => position === id, 'position');
}
