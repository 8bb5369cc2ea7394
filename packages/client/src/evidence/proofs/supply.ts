/**
 * Proves where every coin is after a cut: the totals lead to the signed state root, their parts add up to what was minted,
 * the trees of the state add up to the same, and the node's own figures are these.
 */
import { fromHex } from 'svc-wasm';
import { certifiedTotals, type ProvenTotals } from 'svc-wasm/protocol';
import type { AnswerOf } from '../../routes/route-types.ts';
import { Contradiction } from '../verdicts.ts';
import { atOneHeight, type ClaimKind, coins, cutName } from './kind.ts';

const ATOMS_PER_COIN = 100_000_000n;
const MAX_SUPPLY = 200_000_000n * ATOMS_PER_COIN;
const GENESIS_SUPPLY = 20_000_000n * ATOMS_PER_COIN;

export const SUPPLY: ClaimKind<{ kind: 'supply' }, ProvenTotals> = {
  read: ({ client }) =>
    atOneHeight(async () => {
      const proof = await client.economicsSupplyProof();
      const supply = await client.economicsSupply();
      const emission = await client.economicsEmission();
      const height = proof.finalized_height;
      if (supply.finalized_height !== height || emission.finalized_height !== height)
        return undefined;
      if (proof.cut.height !== height) {
        throw new Contradiction(`the proof names cut ${proof.cut.height} for height ${height}`);
      }
      const compare = (totals: ProvenTotals) => compareFigures({ supply, emission }, totals);
      return { height, parts: { totals: proof.proof_hex }, compare };
    }),
  check: (_, { height, part }, { cutAt }) => {
    const totals = certifiedTotals(fromHex(part('totals')), cutAt(height).cut);
    addUp(totals);
    compareTrees(totals);
    const { minted, burned, outputs, bonded, unbonding } = totals;
    const signed = `the totals, which lead to the state root in the header of ${cutName(height)}`;
    return {
      value: totals,
      facts: { minted: String(minted), burned: String(burned) },
      lines: [
        {
          says: `After ${cutName(height)}, ${coins(minted)} had been minted and ${coins(burned)} of them burned.`,
          restsOn: signed,
        },
        {
          says: `${coins(outputs)} are in unspent outputs, ${coins(bonded + unbonding)} are staked, and the rest is in the reserves for rewards.`,
          restsOn: `${signed}; all parts add up to what was minted, and the trees of the state to the same sums`,
        },
      ],
    };
  },
};

interface SaidSupply {
  readonly supply: AnswerOf<'economicsSupply'>;
  readonly emission: AnswerOf<'economicsEmission'>;
}

function addUp(totals: ProvenTotals): void {
  const { minted, burned, outputs, bonded, unbonding, workReserve, stakeReserve } = totals;
  const sum = outputs + bonded + unbonding + workReserve + stakeReserve + burned;
  if (sum !== minted) throw new Contradiction(`the parts are ${sum} atoms, minted were ${minted}`);
  if (minted > MAX_SUPPLY) throw new Contradiction(`${minted} atoms are more than may ever exist`);
}

function compareTrees({ outputs, bonded, unbonding, slashed, trees }: ProvenTotals): void {
  const sums: readonly (readonly [string, bigint, bigint])[] = [
    ['outputs', trees.outputs.sum, outputs],
    ['positions', trees.positions.sum, bonded + unbonding + slashed],
    ['validators', trees.validators.sum, bonded],
  ];
  for (const [name, sum, expected] of sums) {
    if (sum !== expected) {
      throw new Contradiction(`the tree of ${name} adds up to ${sum} atoms instead of ${expected}`);
    }
  }
}

function compareFigures({ supply, emission }: SaidSupply, totals: ProvenTotals): string {
  const issued = totals.minted - GENESIS_SUPPLY;
  const figures: readonly (readonly [string, string, bigint])[] = [
    ['the most there may be', supply.max_supply, MAX_SUPPLY],
    ['minted', supply.minted, totals.minted],
    ['burned', supply.burned, totals.burned],
    ['total supply', supply.total_supply, totals.minted - totals.burned],
    ['circulating', supply.circulating_supply, totals.outputs],
    ['bonded', supply.bonded, totals.bonded],
    ['unbonding', supply.unbonding, totals.unbonding],
    ['work reserve', supply.work_reserve, totals.workReserve],
    ['stake reserve', supply.stake_reserve, totals.stakeReserve],
    ['unscheduled emission', supply.unscheduled_emission, MAX_SUPPLY - totals.minted],
    ['issued', emission.issued, issued],
    ['to come', emission.to_come, MAX_SUPPLY - GENESIS_SUPPLY - issued],
    ['emission of the day', emission.interval_amount, totals.intervalAmount],
  ];
  for (const [name, said, proven] of figures) {
    if (BigInt(said) !== proven) {
      throw new Contradiction(`${name}: the node says ${said} atoms, proven are ${proven}`);
    }
  }
  return `${figures.length} figures of supply and emission`;
}
