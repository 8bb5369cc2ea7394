/**
 * Random cuts: what fast-check draws, and how a drawing becomes transactions and blocks. Drawings are
 * small numbers, so that a failing run shrinks; what they mean depends on the state they meet.
 */
import fc from 'fast-check';
import { BURN_ADDRESS, outpointOf } from '../../src/identifiers.ts';
import type { Operation } from '../../src/protocol.ts';
import type { ExecutableTransaction } from '../../src/transaction.ts';
import { idOf } from '../testing/reference-hash.ts';
import { addressOf, COIN, publicKeyOf, type TestChain } from '../testing/test-chain.ts';
import type { Signers } from '../testing/test-signatures.ts';

export interface Action {
  readonly kind: string;
  readonly a: number;
  readonly b: number;
  readonly flaw: string;
}

export interface CutDrawing {
  readonly blocks: readonly {
    readonly age: number;
    readonly payout: number;
    readonly actions: readonly Action[];
  }[];
  readonly absent: number;
  readonly evidence: number;
}

const KINDS: fc.WeightedArbitrary<string>[] = [
  { weight: 8, arbitrary: fc.constant('pay') },
  { weight: 1, arbitrary: fc.constant('burn') },
  { weight: 4, arbitrary: fc.constant('bond') },
  { weight: 4, arbitrary: fc.constant('unbond') },
  { weight: 4, arbitrary: fc.constant('withdraw') },
  { weight: 2, arbitrary: fc.constant('validator_register') },
  { weight: 6, arbitrary: fc.constant('heartbeat') },
  { weight: 1, arbitrary: fc.constant('reward_address') },
  { weight: 1, arbitrary: fc.constant('rotate_key') },
  { weight: 1, arbitrary: fc.constant('endpoint') },
  { weight: 2, arbitrary: fc.constant('commission') },
  { weight: 1, arbitrary: fc.constant('exit') },
  { weight: 3, arbitrary: fc.constant('repeat') },
  { weight: 2, arbitrary: fc.constant('conflict') },
  { weight: 2, arbitrary: fc.constant('child') },
];

const FLAWS: fc.WeightedArbitrary<string>[] = [
  { weight: 30, arbitrary: fc.constant('none') },
  ...['forged', 'owner', 'possession', 'overspend', 'cheap', 'expired', 'early', 'referenced'].map(
    (flaw) => ({ weight: 1, arbitrary: fc.constant(flaw) }),
  ),
];

const anyAction: fc.Arbitrary<Action> = fc.record({
  kind: fc.oneof(...KINDS),
  a: fc.nat(1_000_000),
  b: fc.nat(1_000_000),
  flaw: fc.oneof(...FLAWS),
});

export const anyCut: fc.Arbitrary<CutDrawing> = fc.record({
  blocks: fc.array(
    fc.record({
      age: fc.oneof(
        { weight: 5, arbitrary: fc.nat(4) },
        { weight: 1, arbitrary: fc.integer({ min: 85, max: 94 }) },
      ),
      payout: fc.nat(4),
      actions: fc.array(anyAction, { maxLength: 4 }),
    }),
    { maxLength: 3 },
  ),
  absent: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(255) }),
  evidence: fc.oneof(
    { weight: 60, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.nat(9) },
  ),
});

type Sign = (id: string, signers: Signers) => void;

/** Turns drawings into transactions for one chain, and remembers the ones it made. */
export class Actor {
  readonly #chain: TestChain;
  readonly #sign: Sign;
  readonly made: ExecutableTransaction[] = [];
  #inCut: ExecutableTransaction[] = [];

  constructor(chain: TestChain, sign: Sign) {
    this.#chain = chain;
    this.#sign = sign;
  }

  beginCut(): void {
    this.#inCut = [];
  }

  transactionFor(action: Action): ExecutableTransaction | undefined {
    if (action.kind === 'repeat') return this.made[action.a % Math.max(this.made.length, 1)];
    const coin = this.#coinFor(action);
    if (coin === undefined) return undefined;
    const plan = this.#operationFor(action);
    if (plan === undefined) return undefined;
    const transaction = this.#assemble(action, coin, plan);
    this.made.push(transaction);
    this.#inCut.push(transaction);
    return transaction;
  }

  /** The output to spend: any that exists, one spent before, or one of this very cut. */
  #coinFor({ kind, a }: Action): [string, { address: string; amount: bigint }] | undefined {
    if (kind === 'conflict' || kind === 'child') {
      const pool = kind === 'child' ? this.#inCut : this.made;
      const other = pool[a % Math.max(pool.length, 1)];
      if (other === undefined) return undefined;
      if (kind === 'child') {
        const output = other.outputs[0];
        return output === undefined ? undefined : [`${other.id}00000000`, output];
      }
      const [input] = other.inputs;
      if (input === undefined) return undefined;
      const key = input.transactionId + input.outputIndex.toString(16).padStart(8, '0');
      return [
        key,
        this.#chain.state.get('outputs', key) ?? { address: addressOf('bank'), amount: COIN },
      ];
    }
    const keys = this.#chain.state.keys('outputs');
    const key = keys[a % Math.max(keys.length, 1)];
    const coin = key === undefined ? undefined : this.#chain.state.get('outputs', key);
    return key === undefined || coin === undefined ? undefined : [key, coin];
  }

  #operationFor({
    kind,
    a,
    b,
  }: Action): { operation: Operation | null; owner: string } | undefined {
    const { state } = this.#chain;
    const validators = state.records('validators');
    const positions = state.records('positions');
    const [validatorId, validator] = validators[b % validators.length] ?? [];
    const [positionId, position] = positions[b % Math.max(positions.length, 1)] ?? [];
    const person = addressOf(`person ${a % 5}`);
    const nothing = { operation: null, owner: person };
    switch (kind) {
      case 'bond':
        if (validatorId === undefined) return undefined;
        return {
          operation: {
            type: 'bond',
            validatorId,
            ownerAddress: person,
            rewardAddress: addressOf(`reward ${a % 7}`),
            amount: BigInt(b % 1_000) * COIN + BigInt(1 + (a % 97)),
          },
          owner: person,
        };
      case 'validator_register':
        return {
          operation: {
            type: 'validator_register',
            ownerAddress: person,
            rewardAddress: addressOf(`reward ${a % 7}`),
            amount: (99_999n + BigInt(b % 3_000)) * COIN,
            commissionBps: (b % 102) * 10,
            consensusKey: publicKeyOf(`k${a % 60}`),
            endpoint: new Uint8Array(1 + (b % 3)),
          },
          owner: person,
        };
      case 'unbond':
      case 'withdraw':
      case 'reward_address':
        if (positionId === undefined || position === undefined) return undefined;
        return {
          operation: onPosition(kind, positionId, position.bonded, a),
          owner: position.ownerAddress,
        };
      case 'heartbeat':
      case 'rotate_key':
      case 'endpoint':
      case 'commission':
      case 'exit': {
        if (validatorId === undefined || validator === undefined) return undefined;
        if (kind === 'exit' && a % 4 !== 0) return nothing;
        const epoch = this.#chain.epoch.epoch + (a % 9 === 0 ? 1 : 0);
        const current = validator.consensusKey;
        const operation = onValidator(kind, validatorId, { a, b, epoch, current });
        const owner = kind === 'heartbeat' ? `00${current.keyHash}` : validator.ownerAddress;
        return { operation, owner };
      }
      default:
        return nothing;
    }
  }

  #assemble(
    { kind, a, b, flaw }: Action,
    [key, coin]: [string, { address: string; amount: bigint }],
    { operation, owner }: { operation: Operation | null; owner: string },
  ): ExecutableTransaction {
    const id = idOf(`model ${this.made.length}`);
    const bonded =
      operation !== null && 'amount' in operation && operation.type !== 'unbond'
        ? operation.amount
        : 0n;
    const mass = BigInt(b % 50);
    const fee = flaw === 'cheap' ? mass * 10n - 1n : mass * 10n + BigInt(a % 11);
    const rest = coin.amount - bonded - fee + (flaw === 'overspend' ? fee + 1n : 0n);
    const paid = rest / BigInt(1 + (b % 3));
    const to = kind === 'burn' ? BURN_ADDRESS : addressOf(`person ${b % 5}`);
    const outputs = [
      { address: to, amount: paid },
      { address: coin.address, amount: rest - paid },
    ].filter(({ amount }) => amount > 0n);
    const { height } = this.#chain;
    const signers: Signers = {
      inputs: [flaw === 'forged' ? addressOf('mallory') : coin.address],
      owner: flaw === 'owner' ? addressOf('mallory') : owner,
      possession: flaw !== 'possession',
      referenced: flaw === 'referenced' ? [publicKeyOf(`k${a % 60}`).keyHash] : [],
    };
    this.#sign(id, signers);
    return {
      id,
      validFromHeight: BigInt(flaw === 'early' ? height + 2 + (a % 4) : 0),
      validUntilHeight: BigInt(flaw === 'expired' ? height + 1 : height + 2 + (a % 30)),
      inputs: [{ ...outpointOf(key), inlineKeys: a % 13 === 0 ? [publicKeyOf(`k${b % 60}`)] : [] }],
      outputs,
      declaredFee: a % 3 === 0 ? fee + (a % 7 === 0 ? 1n : 0n) : null,
      operation,
      mass,
    };
  }
}

function onPosition(
  type: 'unbond' | 'withdraw' | 'reward_address',
  positionId: string,
  bonded: bigint,
  a: number,
): Operation {
  if (type === 'withdraw') return { type, positionId };
  if (type === 'reward_address')
    return { type, positionId, rewardAddress: addressOf(`reward ${a % 7}`) };
  return { type, positionId, amount: 1n + (bonded * BigInt(a % 11)) / 9n };
}

function onValidator(
  type: 'heartbeat' | 'rotate_key' | 'endpoint' | 'commission' | 'exit',
  validatorId: string,
  {
    a,
    b,
    epoch,
    current,
  }: { a: number; b: number; epoch: number; current: { keyHash: string; publicKey: Uint8Array } },
): Operation {
  const endpoint = new Uint8Array(1 + (b % 3));
  switch (type) {
    case 'heartbeat':
      return { type, validatorId, epoch: BigInt(epoch) };
    case 'commission':
      return { type, validatorId, commissionBps: (b % 102) * 10 };
    case 'exit':
      return { type, validatorId };
    case 'rotate_key':
      return { type, validatorId, consensusKey: publicKeyOf(`k${a % 60}`), endpoint };
    case 'endpoint': {
      const consensusKey = a % 5 === 0 ? publicKeyOf(`k${a % 60}`) : current;
      return { type, validatorId, consensusKey, endpoint };
    }
  }
}
