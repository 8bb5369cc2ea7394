/**
 * The reference model: what a cut does, written a second time in the plainest way.
 */
import type { CutInput } from '../../src/cut.ts';
import type { ExecutableTransaction } from '../../src/transaction.ts';
import type { Signers } from '../testing/test-signatures.ts';
import { dropEmpty, nextPayout, operate, punish, signerOf } from './operations.ts';
import { type Standing, sum, type Validator, World } from './world.ts';

const BURN = `02${'00'.repeat(48)}`;
const WINDOWS = 12;

export class ReferenceModel {
  readonly world: World;
  outcomes: string[] = [];
  rewards: bigint[] = [];
  #toExecute: readonly { id: string }[] = [];

  constructor(interval: number, chainId: string) {
    this.world = new World(interval, chainId);
  }

  sign(id: string, signers: Signers): void {
    this.world.signersOf.set(id, signers);
  }

  /** The committee that an epoch begins with, and a copy of everything that is bonded. */
  beginEpoch(epoch: number): void {
    const { world } = this;
    const last = world.standings.at(-1)?.committee ?? [];
    const bpsIn = ({ commissions }: Validator) =>
      (commissions.filter(({ from }) => from <= epoch).at(-1) as { bps: number }).bps;
    const seat = (validator: Validator) => ({
      id: validator.id,
      stake: world.stakeOf(validator.id),
      bps: bpsIn(validator),
      shares: true,
    });
    const active = world.validators.filter(({ leftAt }) => leftAt === null);
    let committee = active.filter((validator) => this.#isEligible(validator, epoch)).map(seat);
    if (committee.length === 0) {
      committee = active.filter(({ id }) => last.some((member) => member.id === id)).map(seat);
    }
    if (committee.length === 0) committee = last.map((member) => ({ ...member, shares: false }));
    const strongest = [...committee].sort((a, b) =>
      a.stake === b.stake ? (a.id < b.id ? -1 : 1) : a.stake > b.stake ? -1 : 1,
    );
    const standing: Standing = {
      epoch,
      stakes: structuredClone(world.stakes),
      committee: strongest.slice(0, 64).sort((a, b) => (a.id < b.id ? -1 : 1)),
    };
    world.standings.push(standing);
  }

  #isEligible(validator: Validator, epoch: number): boolean {
    const sign = Math.max(validator.registered, ...validator.heartbeats);
    const jailed = validator.jailedIn.some((jail) => epoch === jail + 1 || epoch === jail + 2);
    return epoch >= validator.firstEpoch && epoch - sign <= 2 && !jailed;
  }

  cut(input: CutInput): void {
    const { world } = this;
    world.height = input.height;
    this.outcomes = [];
    this.rewards = [];
    this.#attend(input);
    for (const { validatorId } of input.evidence) punish(world, validatorId);
    for (const block of input.executed) {
      for (const transaction of block.transactions) {
        this.outcomes.push(this.#execute(block.id, transaction));
      }
    }
    if (input.executed.map(({ id }) => id).join() !== this.#toExecute.map(({ id }) => id).join()) {
      throw new Error('a registered block was not executed in the next cut');
    }
    this.#payWork();
    this.#payStake();
    this.#issue();
    if (world.height % world.interval === 0) this.#endEpoch();
    for (const { id, anchorHeight, payoutAddress, bodyRoot } of input.registered) {
      world.blocks.push({
        id,
        anchor: anchorHeight,
        payout: payoutAddress,
        body: bodyRoot,
        registeredAt: input.height,
        fees: 0n,
      });
    }
    this.#toExecute = input.registered;
  }

  #attend({ height, previousSigners }: CutInput): void {
    const { committee } = this.world.standing;
    const who = committee
      .filter((_, index) => previousSigners.toString(2).split('').reverse()[index] === '1')
      .map(({ id }) => id);
    this.world.signed.push({ at: height, who });
  }

  #execute(block: string, transaction: ExecutableTransaction): string {
    const { world } = this;
    const keys = transaction.inputs.map(
      ({ transactionId, outputIndex }) => transactionId + outputIndex.toString(16).padStart(8, '0'),
    );
    const remembered = world.spent.filter(
      ({ key, at }) => keys.includes(key) && world.height - at < 2 * world.interval,
    );
    if (remembered.some(({ by }) => by === transaction.id)) return 'skipped';
    if (world.height > transaction.validUntilHeight) return 'expired';
    if (world.height < transaction.validFromHeight) return 'not_yet_valid';
    if (remembered.length > 0) return 'conflict';
    const coins = keys.map((key) => world.coins.find((coin) => coin.key === key));
    if (coins.includes(undefined)) return 'unknown_input';
    const amount = sum(coins.map((coin) => coin?.amount ?? 0n));
    const { operation } = transaction;
    const bonds = operation !== null && 'amount' in operation && operation.type !== 'unbond';
    const fee =
      amount -
      sum(transaction.outputs.map((output) => output.amount)) -
      (bonds ? operation.amount : 0n);
    if (fee < transaction.mass * 10n) return 'invalid';
    if (![null, fee].includes(transaction.declaredFee)) return 'invalid';
    const owner = operation === null ? null : signerOf(world, operation);
    if (owner === undefined) return 'no_effect';
    const signers = world.signersOf.get(transaction.id) as Signers;
    const signed = coins.every((coin, index) => signers.inputs[index] === coin?.owner);
    if (!signed || signers.referenced.some((key) => !world.keys.has(key))) return 'invalid';
    if (owner !== null && signers.owner !== owner) return 'invalid';
    const shown = ['validator_register', 'rotate_key', 'endpoint'].includes(operation?.type ?? '');
    if (shown && !signers.possession) return 'invalid';
    const refused = operate(world, transaction);
    if (refused !== null) return refused;
    this.#move(transaction, keys);
    this.#payFee(block, fee);
    return 'finalized';
  }

  #move(transaction: ExecutableTransaction, keys: readonly string[]): void {
    const { world } = this;
    world.coins = world.coins.filter(({ key }) => !keys.includes(key));
    for (const key of keys) world.spent.push({ key, by: transaction.id, at: world.height });
    transaction.outputs.forEach(({ address, amount }, index) => {
      if (address === BURN) world.burned.push(amount);
      else {
        const key = transaction.id + index.toString(16).padStart(8, '0');
        world.coins.push({ key, owner: address, amount });
      }
    });
    for (const { inlineKeys } of transaction.inputs) {
      for (const { keyHash } of inlineKeys) world.keys.add(keyHash);
    }
  }

  #payFee(block: string, fee: bigint): void {
    const { world } = this;
    const carrier = world.blocks.find(({ id }) => id === block);
    if (carrier === undefined) throw new Error('a block was executed that was not registered');
    carrier.fees += fee / 2n;
    world.workIn.push(fee / 2n);
    world.stakeIn.push({ at: world.height, amount: fee - fee / 2n });
  }

  #subsidyAt(height: number): bigint {
    const { world } = this;
    const epoch = Math.ceil(height / world.interval) - 1;
    const before = BigInt(height - epoch * world.interval - 1);
    const whole = world.emissionOf(epoch);
    const cuts = BigInt(world.interval);
    return (whole * (before + 1n)) / cuts - (whole * before) / cuts;
  }

  #payWork(): void {
    const { world } = this;
    const anchor = world.height - 96;
    if (anchor < 0) return;
    const blocks = world.blocks.filter((block) => block.anchor === anchor).sort(byId);
    world.workWaiting += anchor === 0 ? 0n : this.#subsidyAt(anchor) / 2n;
    if (blocks.length === 0) return;
    const share = world.workWaiting / BigInt(blocks.length);
    world.workWaiting -= share * BigInt(blocks.length);
    this.rewards = blocks.map(({ fees }) => share + fees);
    for (const payout of [...new Set(blocks.map((block) => block.payout))].sort()) {
      const own = blocks.filter((block) => block.payout === payout);
      const amount = sum(own.map(({ fees }) => share + fees));
      if (amount === 0n) continue;
      world.workOut.push(amount);
      world.coins.push({ key: nextPayout(world, 1), owner: payout, amount });
    }
  }

  #payments: { id: string; own: boolean; validator: string; amount: bigint }[] = [];
  #poolToPay = 0n;

  /** Pays all that the last epoch's end has planned; the model's worlds are small enough for one cut. */
  #payStake(): void {
    const { world } = this;
    if (this.#payments.length > 256) throw new Error('too many positions for this model');
    let paid = 0n;
    for (const { id, own, validator, amount } of this.#payments) {
      const stake = world.stake(id);
      const payer = world.validator(validator);
      if (stake === undefined || amount === 0n) continue;
      if (own && (payer === undefined || payer.punished)) continue;
      world.coins.push({ key: nextPayout(world, 2), owner: stake.reward, amount });
      world.stakeOut.push(amount);
      paid += amount;
    }
    world.poolLeft += this.#poolToPay - paid;
    this.#payments = [];
    this.#poolToPay = 0n;
  }

  #issue(): void {
    const { world } = this;
    const subsidy = this.#subsidyAt(world.height);
    world.workIn.push(subsidy / 2n);
    world.stakeIn.push({ at: world.height, amount: subsidy - subsidy / 2n });
  }

  #windowsOf(id: string, epoch: number): number {
    const { world } = this;
    const first = epoch * world.interval + 1;
    const named = world.signed
      .filter(({ at, who }) => at > first && at < first + world.interval && who.includes(id))
      .map(({ at }) => Math.floor(((at - first) * WINDOWS) / world.interval));
    return new Set(named).size;
  }

  #endEpoch(): void {
    const { world } = this;
    const { epoch, committee, stakes } = world.standing;
    const collected = world.stakeIn.filter(({ at }) => at > world.poolSince);
    const pool = world.poolLeft + sum(collected.map(({ amount }) => amount));
    world.poolSince = world.height;
    world.poolLeft = pool;
    const all = sum(committee.map(({ stake }) => stake));
    const earners = committee.filter(({ id, shares }) => {
      const validator = world.validator(id);
      const there = validator !== undefined && !validator.punished;
      return shares && there && this.#windowsOf(id, epoch) >= 9;
    });
    for (const member of earners) {
      const own = stakes.filter(({ validator }) => validator === member.id);
      let commission = 0n;
      for (const stake of own.filter((candidate) => !candidate.own).sort(byId)) {
        const share = (pool * stake.bonded) / all;
        const fee = (share * BigInt(member.bps)) / 10_000n;
        commission += fee;
        this.#payments.push({ ...stake, amount: share - fee });
      }
      for (const stake of own.filter((candidate) => candidate.own)) {
        this.#payments.push({ ...stake, amount: (pool * stake.bonded) / all + commission });
      }
    }
    if (earners.length > 0) {
      this.#poolToPay = pool;
      world.poolLeft = 0n;
    }
    for (const { id } of committee) {
      const validator = world.validator(id);
      if (validator?.leftAt !== null) continue;
      if (this.#windowsOf(id, epoch) < 9) validator.jailedIn.push(epoch);
    }
    dropEmpty(world);
    this.beginEpoch(epoch + 1);
  }
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}
