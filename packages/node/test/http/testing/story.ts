/**
 * A chain on which something of everything has happened, made once for all tests that only read it: accounts
 * with many outputs, payments, a burn, a delegation, blocks whose reward is paid and one whose is not, a
 * transaction in the mempool and one in a block that no cut has registered.
 */
import { ATOMS_PER_COIN, BURN_ADDRESS, type Genesis } from 'svc-ledger';
import { MemoryStore } from 'svc-storage';
import { ServicesFixture } from '../../../src/testing/services-fixture.ts';

export const RICH = 5;
export const RICH_OUTPUTS = 1_100;
export const FINAL_HEIGHT = 130;

export interface Story {
  readonly services: ServicesFixture;
  /** What the store of the chain reads from. */
  readonly disk: MemoryStore;
  /** Payment of 5,000 atoms from account 0 to account 1, executed in cut 2. */
  readonly payment: { readonly id: string; readonly wire: Uint8Array };
  readonly burnId: string;
  readonly bondId: string;
  /** Spends what the payment spent, and lost. */
  readonly conflictId: string;
  readonly pendingId: string;
  readonly receivingId: string;
  readonly registeredId: string;
  readonly paidBlockId: string;
  /** Two blocks of one anchor that one output pays. */
  readonly twinBlockIds: readonly string[];
  readonly registeredBlockId: string;
  readonly heldBlockId: string;
}

let told: Promise<Story> | undefined;

export function story(): Promise<Story> {
  told ??= tell();
  return told;
}

/** Gives one account many outputs, so that its lists have pages. */
function manyOutputs(genesis: Genesis): Genesis {
  const outputs = genesis.outputs.flatMap(({ address, amount }, account) => {
    if (account !== RICH) return [{ address, amount }];
    const part = amount / BigInt(RICH_OUTPUTS);
    const rest = amount - part * BigInt(RICH_OUTPUTS);
    return Array.from({ length: RICH_OUTPUTS }, (_, index) => ({
      address,
      amount: index === 0 ? part + rest : part,
    }));
  });
  return { ...genesis, outputs };
}

async function tell(): Promise<Story> {
  const disk = new MemoryStore();
  const options = { validators: 2, genesis: manyOutputs, keyValues: disk };
  const services = await ServicesFixture.create(options);
  const { chain } = services;
  const idOf = (wire: Uint8Array): string => chain.transactions.decode(wire).id;

  const wire = await chain.pay(0, chain.address(1), 5_000n);
  const rival = await chain.pay(0, chain.address(2), 6_000n);
  const burn = await chain.pay(2, BURN_ADDRESS, 777n);
  const bond = await bondOf(services);
  const paid = chain.mine([wire, burn], { tag: 'first miner' });
  await chain.cut([paid]);
  const twins = [chain.mine([rival, bond]), chain.mine([])];
  await chain.cut(twins);
  await chain.runTo(FINAL_HEIGHT - 1);

  const waiting = await chain.pay(3, chain.address(4), 1_000n);
  const block = chain.mine([waiting]);
  services.blocks.hold(block);
  await chain.cut([block]);
  const received = await chain.pay(6, chain.address(4), 2_000n);
  const held = services.blocks.hold(chain.mine([received], { tag: 'late miner' }));
  const pending = await chain.pay(7, chain.address(4), 3_000n);
  const admission = await services.mempool.submit(pending, 'own');
  if (admission.type !== 'accepted') throw new Error('the pending payment was refused');
  return {
    services,
    disk,
    payment: { id: idOf(wire), wire },
    burnId: idOf(burn),
    bondId: idOf(bond),
    conflictId: idOf(rival),
    pendingId: idOf(pending),
    receivingId: idOf(received),
    registeredId: idOf(waiting),
    paidBlockId: paid.block.id,
    twinBlockIds: twins.map(({ block }) => block.id),
    registeredBlockId: block.block.id,
    heldBlockId: held.block.id,
  };
}

async function bondOf({ chain }: ServicesFixture): Promise<Uint8Array> {
  const [coin] = await chain.coins(8);
  if (coin === undefined) throw new Error('account 8 has no output');
  const amount = 1_000n * ATOMS_PER_COIN;
  const change = coin[1].amount - amount - 200_000n;
  return chain.sign({
    from: 8,
    coins: [coin],
    outputs: [{ address: chain.address(8), amount: change }],
    operation: {
      type: 'bond',
      data: {
        validator_id: chain.epoch.members[0]?.validatorId ?? '',
        owner_address: chain.text(8),
        reward_address: chain.text(8),
        amount: String(amount),
      },
    },
  });
}
