/**
 * The model's operations: each is executed, or returns why not.
 */
import type { Operation } from '../../src/protocol.ts';
import type { ExecutableTransaction } from '../../src/transaction.ts';
import { idOfLabel } from './ids.ts';
import { type Stake, sum, type Validator, type World } from './world.ts';

const BOND_MIN = 10_000_000_000_000n;
const DELEGATION_MIN = 10_000_000_000n;

type Outcome = 'invalid' | 'no_effect' | null;

/** The required signer of an operation; undefined if its subject does not exist. */
export function signerOf(world: World, operation: Operation): string | undefined {
  if ('ownerAddress' in operation) return operation.ownerAddress;
  if ('positionId' in operation) return world.stake(operation.positionId)?.owner;
  const validator = world.validator(operation.validatorId);
  if (validator === undefined) return undefined;
  return operation.type === 'heartbeat' ? `00${keyNow(world, validator)}` : validator.owner;
}

/** Executes a signed operation, or returns why not. */
export function operate(world: World, { id, operation }: ExecutableTransaction): Outcome {
  if (operation === null) return null;
  if ('commissionBps' in operation) {
    const { commissionBps } = operation;
    if (commissionBps > 1_000 || commissionBps % 10 !== 0) return 'invalid';
  }
  switch (operation.type) {
    case 'bond':
      return operation.amount < DELEGATION_MIN ? 'invalid' : bond(world, id, operation);
    case 'validator_register':
      return operation.amount < BOND_MIN ? 'invalid' : register(world, id, operation);
    case 'unbond':
    case 'withdraw':
    case 'reward_address':
      return onStake(world, world.stake(operation.positionId) as Stake, operation);
    default:
      return onValidator(world, world.validator(operation.validatorId) as Validator, operation);
  }
}

export function keyNow(world: World, validator: Validator): string {
  const signing = validator.keys.filter(({ from }) => from <= world.epoch);
  return (signing.at(-1) as { hash: string }).hash;
}

function bond(world: World, id: string, operation: Extract<Operation, { type: 'bond' }>): Outcome {
  const validator = world.validator(operation.validatorId);
  if (validator === undefined || validator.leftAt !== null) return 'no_effect';
  world.stakes.push({
    id: idOfLabel('SVC_POSITION_V1', id),
    validator: validator.id,
    owner: operation.ownerAddress,
    reward: operation.rewardAddress,
    own: false,
    bonded: operation.amount,
    leaving: [],
  });
  return null;
}

function register(
  world: World,
  id: string,
  operation: Extract<Operation, { type: 'validator_register' }>,
): Outcome {
  const { keyHash } = operation.consensusKey;
  if (world.keys.has(keyHash)) return 'no_effect';
  world.keys.add(keyHash);
  const validator = idOfLabel('SVC_VALIDATOR_V1', id);
  const own = idOfLabel('SVC_POSITION_V1', id);
  world.validators.push({
    id: validator,
    owner: operation.ownerAddress,
    own,
    firstEpoch: world.epoch + 2,
    registered: world.epoch,
    keys: [{ hash: keyHash, from: 0 }],
    endpoints: [{ length: operation.endpoint.length, from: 0 }],
    commissions: [{ bps: operation.commissionBps, from: 0 }],
    heartbeats: [],
    jailedIn: [],
    leftAt: null,
    punished: false,
  });
  world.stakes.push({
    id: own,
    validator,
    owner: operation.ownerAddress,
    reward: operation.rewardAddress,
    own: true,
    bonded: operation.amount,
    leaving: [],
  });
  return null;
}

function onStake(
  world: World,
  stake: Stake,
  operation: Extract<Operation, { positionId: string }>,
): Outcome {
  if (operation.type === 'reward_address') {
    stake.reward = operation.rewardAddress;
    return null;
  }
  if (operation.type === 'unbond') {
    if (world.validator(stake.validator)?.leftAt !== null) return 'no_effect';
    if (operation.amount > stake.bonded || stake.leaving.length >= 16) return 'no_effect';
    if (stake.own && stake.bonded - operation.amount < BOND_MIN) return 'no_effect';
    const left = stake.bonded - operation.amount;
    if (left !== 0n && left < DELEGATION_MIN) return 'no_effect';
    stake.bonded -= operation.amount;
    stake.leaving.push({ amount: operation.amount, since: world.height });
    return null;
  }
  const free = stake.leaving.filter(({ since }) => isFree(world, since));
  if (free.length === 0) return 'no_effect';
  stake.leaving = stake.leaving.filter(({ since }) => !isFree(world, since));
  const amount = sum(free.map((part) => part.amount));
  world.coins.push({ key: nextPayout(world, 3), owner: stake.owner, amount });
  dropEmpty(world);
  return null;
}

export function isFree(world: World, since: number): boolean {
  return world.height - since >= 10 * world.interval;
}

/** Positions with nothing left are gone, and validators that left with their last position. */
export function dropEmpty(world: World): void {
  world.stakes = world.stakes.filter(
    ({ bonded, leaving }) => bonded > 0n || leaving.some(({ amount }) => amount > 0n),
  );
  world.validators = world.validators.filter(
    ({ id, leftAt }) => leftAt === null || world.stakes.some(({ validator }) => validator === id),
  );
}

function onValidator(
  world: World,
  validator: Validator,
  operation: Exclude<Extract<Operation, { validatorId: string }>, { type: 'bond' }>,
): Outcome {
  const { epoch } = world;
  if (validator.leftAt !== null) return 'no_effect';
  switch (operation.type) {
    case 'heartbeat':
      if (operation.epoch !== BigInt(epoch) || validator.heartbeats.includes(epoch)) {
        return 'no_effect';
      }
      validator.heartbeats.push(epoch);
      return null;
    case 'commission':
      if (validator.commissions.some(({ from }) => from > epoch)) return 'no_effect';
      validator.commissions.push({ bps: operation.commissionBps, from: epoch + 14 });
      return null;
    case 'endpoint':
      if (operation.consensusKey.keyHash !== keyNow(world, validator)) return 'no_effect';
      announceEndpoint(validator, operation.endpoint.length, epoch);
      return null;
    case 'rotate_key':
      if (validator.keys.some(({ from }) => from > epoch)) return 'no_effect';
      if (world.keys.has(operation.consensusKey.keyHash)) return 'no_effect';
      world.keys.add(operation.consensusKey.keyHash);
      validator.keys.push({ hash: operation.consensusKey.keyHash, from: epoch + 2 });
      announceEndpoint(validator, operation.endpoint.length, epoch);
      return null;
    case 'exit':
      leave(world, validator);
      return null;
  }
}

function announceEndpoint(validator: Validator, length: number, epoch: number): void {
  const settled = validator.endpoints.filter(({ from }) => from <= epoch);
  validator.endpoints.splice(0, validator.endpoints.length, ...settled, {
    length,
    from: epoch + 2,
  });
}

/** Everything bonded to the validator begins to leave, position by position. */
export function leave(world: World, validator: Validator): void {
  validator.leftAt = world.height;
  const signing = validator.keys.filter(({ from }) => from <= world.epoch);
  validator.keys.splice(0, validator.keys.length, ...signing);
  for (const stake of world.stakes) {
    if (stake.validator !== validator.id || stake.bonded === 0n) continue;
    stake.leaving.push({ amount: stake.bonded, since: world.height });
    stake.bonded = 0n;
  }
}

export function punish(world: World, id: string): void {
  const validator = world.validator(id) as Validator;
  if (validator.leftAt === null) leave(world, validator);
  validator.punished = true;
  for (const stake of world.stakes.filter((candidate) => candidate.validator === id)) {
    for (const part of stake.leaving.filter(({ since }) => !isFree(world, since))) {
      const burned = stake.own ? part.amount : part.amount / 10n;
      part.amount -= burned;
      world.burned.push(burned);
    }
    stake.leaving = stake.leaving.filter(({ amount }) => amount > 0n);
  }
  dropEmpty(world);
}

const payoutCounts = new WeakMap<World, Map<string, number>>();

/** The key of the next output that the protocol itself makes in this cut. */
export function nextPayout(world: World, kind: number): string {
  const counts = payoutCounts.get(world) ?? new Map<string, number>();
  payoutCounts.set(world, counts);
  const place = `${world.height} ${kind}`;
  const index = counts.get(place) ?? 0;
  counts.set(place, index + 1);
  const data = Buffer.alloc(61, world.chainId, 'hex');
  data.writeBigUInt64LE(BigInt(world.height), 48);
  data.writeUInt8(kind, 56);
  data.writeUInt32LE(index, 57);
  return `${idOfLabel('SVC_PAYOUT_V1', data)}00000000`;
}
