/**
 * Proves where every coin is after a cut: the totals lead to the signed state root, their parts add up to what was minted,
 * the trees of the state add up to the same, and the node's own figures are these.
 */
import { fromHex } from 'svc-wasm';
import { certifiedTotals, type ProvenTotals } from 'svc-wasm/protocol';
import type { AnswerOf } from '../../routes/route-types.ts';
import type { CheckContext } from '../check-context.ts';
import type { ProofResult } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';
import { certified } from './certified-head.ts';

/** While cuts come quickly, three reads are rarely of one height. */
const TRIES = 12;
const ATOMS_PER_COIN = 100_000_000n;
const MAX_SUPPLY = 200_000_000n * ATOMS_PER_COIN;
const GENESIS_SUPPLY = 20_000_000n * ATOMS_PER_COIN;

export async function checkSupply(context: CheckContext): Promise<ProofResult> {
  const { trust, step } = context;
  const head = await step('The node names its head', async () => {
    const found = await trust.head();
    return [found, `cut ${found.cut.height}`];
  });
  const said = await step('Figures and proof of the same height', () => readAtOneHeight(context));
  const { height } = said;
  if (height < (trust.document?.height ?? 0)) {
    throw new Contradiction(`the proof is of cut ${height}, before what this reader has certified`);
  }
  const { cut } = await certified(context, head, height);
  const totals = await step('The totals lead to the signed state root', async () => {
    const found = certifiedTotals(fromHex(said.proofHex), cut);
    return [found, `${said.proofHex.length / 2} bytes; ${found.minted} atoms were minted`];
  });
  await step('The parts add up to what was minted', async () => [undefined, addUp(totals)]);
  await step('The trees of the state add up to the parts', async () => [
    undefined,
    compareTrees(totals),
  ]);
  await step('The node’s figures are the proven ones', async () => [
    undefined,
    compareFigures(said, totals),
  ]);
  return {
    verdict: 'checked',
    height,
    facts: { minted: String(totals.minted), burned: String(totals.burned) },
  };
}

interface SaidSupply {
  readonly height: number;
  readonly proofHex: string;
  readonly supply: AnswerOf<'economicsSupply'>;
  readonly emission: AnswerOf<'economicsEmission'>;
}

async function readAtOneHeight({ client }: CheckContext): Promise<readonly [SaidSupply, string]> {
  for (let tries = 0; tries < TRIES; tries++) {
    const proof = await client.economicsSupplyProof();
    const supply = await client.economicsSupply();
    const emission = await client.economicsEmission();
    const height = proof.finalized_height;
    if (supply.finalized_height !== height || emission.finalized_height !== height) continue;
    if (proof.cut.height !== height) {
      throw new Contradiction(`the proof names cut ${proof.cut.height} for height ${height}`);
    }
    const said = { height, proofHex: proof.proof_hex, supply, emission };
    return [said, `all of cut ${height}`];
  }
  throw new Unprovable('cuts come faster than figures and proof can be read at one height');
}

function addUp(totals: ProvenTotals): string {
  const { minted, burned, outputs, bonded, unbonding, workReserve, stakeReserve } = totals;
  const sum = outputs + bonded + unbonding + workReserve + stakeReserve + burned;
  if (sum !== minted) throw new Contradiction(`the parts are ${sum} atoms, minted were ${minted}`);
  if (minted > MAX_SUPPLY) throw new Contradiction(`${minted} atoms are more than may ever exist`);
  return `outputs, bonded, unbonding, two reserves and burned are ${sum} atoms`;
}

function compareTrees({ outputs, bonded, unbonding, slashed, trees }: ProvenTotals): string {
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
  return `${trees.outputs.count} outputs are ${outputs} atoms`;
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
