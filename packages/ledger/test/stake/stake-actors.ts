/**
 * The stakers of a run: delegators, one that splits coins into as many positions as possible, owners who unstake a
 * part or everything, validators that join, leave and forget their heartbeats. Each chooses its actions in an epoch;
 * none of them checks the rules, so some are refused.
 */
import { outpointOf } from '../../src/identifiers.ts';
import type { Operation } from '../../src/protocol.ts';
import type { ExecutableTransaction } from '../../src/transaction.ts';
import { idOf } from '../testing/reference-hash.ts';
import { addressOf, COIN, publicKeyOf, type TestChain } from '../testing/test-chain.ts';
import type { Random } from './random.ts';

export interface StakePlan {
  readonly seed: number;
  readonly interval: number;
  readonly epochs: number;
  readonly positionMin: bigint;
  /** How many delegations are opened in an epoch, while there are coins. */
  readonly delegations: number;
  /** How many positions the splitter tries to open in each of his epochs. */
  readonly dust: number;
}

export interface Intent {
  readonly operation: Operation;
  readonly owner: string;
  /** What is taken out of the inputs. */
  readonly amount: bigint;
}

/** The least amount that still earns an atom in a run. */
const DUST = 1_000n;

export class StakeActors {
  readonly #chain: TestChain;
  readonly #random: Random;
  readonly #plan: StakePlan;
  #registered = 0;

  constructor(chain: TestChain, random: Random, plan: StakePlan) {
    this.#chain = chain;
    this.#random = random;
    this.#plan = plan;
  }

  intents(epoch: number): Intent[] {
    return [
      ...this.#heartbeats(epoch),
      ...this.#delegate(),
      ...(epoch % 4 === 1 ? this.#split() : []),
      ...this.#unstake(),
      ...this.#validators(),
    ];
  }

  get #active(): string[] {
    return this.#chain.state
      .records('validators')
      .flatMap(([id, { status }]) => (status === 'active' ? [id] : []));
  }

  #heartbeats(epoch: number): Intent[] {
    return this.#chain.state
      .records('validators')
      .filter(([, { status }]) => status === 'active' && this.#random.chance(85))
      .map(([validatorId, { consensusKey }]) => ({
        operation: { type: 'heartbeat', validatorId, epoch: BigInt(epoch) },
        owner: `00${consensusKey.keyHash}`,
        amount: 0n,
      }));
  }

  #bond(validatorId: string, owner: string, amount: bigint): Intent {
    const ownerAddress = addressOf(owner);
    const rewardAddress = addressOf(`${owner} rewards`);
    const operation = { type: 'bond', validatorId, ownerAddress, rewardAddress, amount } as const;
    return { operation, owner: ownerAddress, amount };
  }

  #delegate(): Intent[] {
    const { delegations, positionMin } = this.#plan;
    const active = this.#active;
    return Array.from({ length: delegations }, (_, index) => {
      const more = (positionMin * BigInt(this.#random.below(500))) / 999n;
      const validator = this.#random.pick(active) ?? '';
      return this.#bond(validator, `person ${index % 50}`, positionMin + more);
    });
  }

  /** Opens as many positions as possible in front of all others, with as little as possible and with the minimum. */
  #split(): Intent[] {
    const first = this.#active[0] ?? '';
    const { dust, positionMin } = this.#plan;
    return [
      ...Array.from({ length: dust }, () => this.#bond(first, 'splitter', DUST)),
      ...Array.from({ length: Math.min(10, dust) }, () =>
        this.#bond(first, 'splitter', positionMin),
      ),
    ];
  }

  #unstake(): Intent[] {
    const { state, height } = this.#chain;
    const intents: Intent[] = [];
    for (const [positionId, { ownerAddress: owner, bonded, unbonding }] of state.records(
      'positions',
    )) {
      const isFree = unbonding.some(({ releaseHeight }) => releaseHeight <= height);
      const draw = this.#random.below(100);
      const amount = this.#part(draw, bonded);
      if (isFree || draw === 99) {
        intents.push({ operation: { type: 'withdraw', positionId }, owner, amount: 0n });
      } else if (amount > 0n) {
        intents.push({ operation: { type: 'unbond', positionId, amount }, owner, amount: 0n });
      }
    }
    return intents;
  }

  /** Sometimes everything, sometimes all but an atom, sometimes an odd part. */
  #part(draw: number, bonded: bigint): bigint {
    if (draw < 4) return bonded;
    if (draw < 6) return bonded - 1n;
    if (draw < 14) return (bonded * BigInt(this.#random.below(100))) / 331n + 1n;
    return 0n;
  }

  #validators(): Intent[] {
    const intents: Intent[] = [];
    const active = this.#active;
    if (active.length < 8 && this.#random.chance(50)) {
      const name = `newcomer ${this.#registered++}`;
      const owner = addressOf(name);
      const amount = 100_000n * COIN;
      const commissionBps = 10 * this.#random.below(101);
      const consensusKey = publicKeyOf(name);
      const terms = { ownerAddress: owner, rewardAddress: addressOf(`${name} rewards`) };
      const endpoint = Uint8Array.of(1);
      const type = 'validator_register';
      const operation = { type, ...terms, amount, commissionBps, consensusKey, endpoint } as const;
      intents.push({ operation, owner, amount });
    }
    const leaver = this.#random.pick(active);
    if (active.length > 3 && leaver !== undefined && this.#random.chance(12)) {
      const owner = this.#chain.state.get('validators', leaver)?.ownerAddress ?? '';
      intents.push({ operation: { type: 'exit', validatorId: leaver }, owner, amount: 0n });
    }
    return intents;
  }
}

/** The coins that all intents are paid from: one transaction makes an input of the right amount for each. */
export class Purse {
  readonly #chain: TestChain;
  readonly #coins = new Map<string, bigint>();
  readonly #address = addressOf('bank');
  #count = 0;

  constructor(chain: TestChain) {
    this.#chain = chain;
    for (const [key, { address, amount }] of chain.state.records('outputs')) {
      if (address === this.#address) this.#coins.set(key, amount);
    }
  }

  /** A transaction that makes the inputs, and one for each intent that the coins suffice for. */
  pay(intents: readonly Intent[]): readonly [ExecutableTransaction, ExecutableTransaction[]] {
    const held = [...this.#coins.values()].reduce((sum, amount) => sum + amount, 0n);
    const paid: Intent[] = [];
    let left = held;
    for (const intent of intents) {
      if (intent.amount + 1n >= left) continue;
      left -= intent.amount + 1n;
      paid.push(intent);
    }
    const outputs = paid.map(({ amount }) => ({ address: this.#address, amount: amount + 1n }));
    outputs.push({ address: this.#address, amount: left });
    const split = this.#sign([...this.#coins.keys()], outputs, null, null);
    this.#coins.clear();
    this.#coins.set(`${split.id}${paid.length.toString(16).padStart(8, '0')}`, left);
    const transactions = paid.map(({ operation, owner, amount }, index) => {
      const key = `${split.id}${index.toString(16).padStart(8, '0')}`;
      this.#coins.set(key, amount + 1n);
      return this.#sign([key], [{ address: this.#address, amount: 1n }], operation, owner);
    });
    return [split, transactions];
  }

  /** Learns that a transaction was executed: its input is spent, its change is there. */
  settle({ id, inputs }: ExecutableTransaction): void {
    for (const { transactionId, outputIndex } of inputs) {
      this.#coins.delete(transactionId + outputIndex.toString(16).padStart(8, '0'));
    }
    this.#coins.set(`${id}00000000`, 1n);
  }

  #sign(
    keys: readonly string[],
    outputs: ExecutableTransaction['outputs'],
    operation: Operation | null,
    owner: string | null,
  ): ExecutableTransaction {
    const id = idOf(`stake ${this.#count++}`);
    const inputs = keys.map(() => this.#address);
    this.#chain.signatures.sign(id, { inputs, owner, possession: true, referenced: [] });
    return {
      id,
      validFromHeight: 0n,
      validUntilHeight: 1_000_000n,
      inputs: keys.map((key) => ({ ...outpointOf(key), inlineKeys: [] })),
      outputs,
      declaredFee: null,
      operation,
      mass: 0n,
    };
  }
}
