/**
 * Proofs that lead to the state root of a cut: what an address has, each of its outputs, and one output.
 */
import { checkAddressCompleteness, checkUtxoProof, fromHex, type ProvenOutput } from 'svc-wasm';
import type { Claim, Line } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';
import {
  atOneHeight,
  type ClaimKind,
  coins,
  cutName,
  type GivenProof,
  type ProvenChain,
  type ReadContext,
  type ReadProof,
  some,
} from './kind.ts';

const OUTPUTS_LISTED_MAX = 512;
const HISTORY_LISTED_MAX = 256;
/** Above this many outputs, a balance is proven by one of them: each proof of an output shows the sum of its address. */
const OUTPUTS_PROVEN_MAX = 256;

interface Held {
  readonly height: number;
  readonly balance: bigint;
  readonly count: number;
  /** Undefined where the proof shows the sum alone. */
  readonly outputs: readonly ProvenOutput[] | undefined;
}

type AddressClaim = Extract<Claim, { kind: 'balance' | 'completeness' }>;
type OutputClaim = Extract<Claim, { kind: 'output' }>;
type Balance = Awaited<ReturnType<ReadContext['client']['addressBalance']>>;

export const BALANCE: ClaimKind<AddressClaim, Held> = {
  read: (context, { address }) =>
    atOneHeight(async () => {
      const shown = await context.client.addressBalance({ address });
      const found =
        shown.utxos > OUTPUTS_PROVEN_MAX
          ? await readOneOutput(context, address)
          : await readAll(context, address);
      if (found.height !== shown.indexed_height) return undefined;
      return { ...found, compare: (held) => compareHeld(context, address, shown, held) };
    }),
  check: ({ address }, proof, chain) => provenHeld(address, heldBy(address, proof, chain)),
};

export const COMPLETENESS: ClaimKind<AddressClaim, Held> = {
  read: (context, { address }) => readAll(context, address),
  check: ({ address }, proof, chain) => {
    const held = heldBy(address, proof, chain);
    if (held.outputs === undefined) throw new Unprovable('the proof shows the sum alone');
    const { facts, lines } = provenHeld(address, held);
    return { value: held, facts, lines: [...lines, ...held.outputs.map(outputLine)] };
  },
};

async function readAll({ client }: ReadContext, address: string): Promise<ReadProof<Held>> {
  const proof = await client.addressProof({ address });
  if (proof.cut.height !== proof.finalized_height) {
    throw new Contradiction(
      `the proof names cut ${proof.cut.height} for height ${proof.finalized_height}`,
    );
  }
  return { height: proof.cut.height, parts: { outputs: proof.proof_hex } };
}

async function readOneOutput({ client }: ReadContext, address: string): Promise<ReadProof<Held>> {
  const { utxos } = await client.addressUtxos({ address, limit: 1 });
  const outpoint = utxos[0]?.outpoint;
  if (outpoint === undefined) throw new Contradiction('the node lists no output of the address');
  const { transaction_id, output_index } = outpoint;
  const { cut, proofs } = await client.proofsUtxos({ outpoints: [outpoint] });
  const output = proofs[0]?.proof_hex;
  if (output === undefined || output === null)
    throw new Unprovable('the output was spent meanwhile');
  const parts = { output, output_id: transaction_id, output_index: String(output_index) };
  return { height: cut.height, parts };
}

function heldBy(address: string, proof: GivenProof, chain: ProvenChain): Held {
  const { cut } = chain.cutAt(proof.height);
  const { height } = proof;
  const all = proof.optionalPart('outputs');
  if (all !== undefined) {
    const { balance, outputs } = checkAddressCompleteness(fromHex(all), cut, address);
    return { height, balance, outputs, count: outputs.length };
  }
  const [id, index] = [proof.part('output_id'), Number(proof.part('output_index'))];
  const found = checkUtxoProof(fromHex(proof.part('output')), cut, id, index, chain.network);
  if (found.address !== address)
    throw new Contradiction(`the proof is about the address ${found.address}`);
  const count = Number(found.addressOutputs);
  return { height, balance: found.addressBalance, count, outputs: undefined };
}

function provenHeld(address: string, held: Held) {
  const { balance, count, height } = held;
  return {
    value: held,
    facts: { balance: String(balance), outputs: String(count) },
    lines: [
      {
        says: `${address} has ${coins(balance)} in ${some(count, 'output')} after ${cutName(height)}, and no other.`,
        restsOn: `the number and the sum of its outputs, which lead to the state root in the header of ${cutName(height)}`,
      },
    ],
  };
}

function outputLine({ transactionId, outputIndex, amount }: ProvenOutput): Line {
  return {
    says: `Of these, ${coins(amount)} are in output ${outputIndex} of ${transactionId}.`,
    restsOn: 'the output, whose hash is one of those that add up to the number and the sum',
  };
}

async function compareHeld(
  context: ReadContext,
  address: string,
  shown: Balance,
  held: Held,
): Promise<string> {
  if (BigInt(shown.balance) !== held.balance) {
    throw new Contradiction(`the node says ${shown.balance} atoms, proven are ${held.balance}`);
  }
  if (shown.utxos !== held.count)
    throw new Contradiction(`the node says ${shown.utxos} outputs, proven are ${held.count}`);
  if (held.outputs === undefined) return 'sum and number; the lists have more than one page';
  return `sum and number; ${await compareLists(context, address, held, held.outputs)}`;
}

/** Compares lists that are of the proven height, or of one at which the balance is still the same. */
async function compareLists(
  { client }: ReadContext,
  address: string,
  { height, balance }: Held,
  outputs: readonly ProvenOutput[],
): Promise<string> {
  const keyOf = (id: string, index: number) => `${id}:${index}`;
  const listed = await client.addressUtxos({ address, limit: OUTPUTS_LISTED_MAX });
  const history = await client.addressHistory({ address, limit: HISTORY_LISTED_MAX });
  const after = await client.addressBalance({ address });
  const isUnchanged = after.balance === String(balance) && after.utxos === outputs.length;
  if (!isUnchanged && after.indexed_height === height) {
    throw new Contradiction('the node says two balances for one height');
  }
  if (!isUnchanged) return 'the address changed meanwhile; its lists were not compared';
  const amounts = new Map(
    listed.utxos.map(({ outpoint: { transaction_id, output_index }, amount }) => [
      keyOf(transaction_id, output_index),
      amount,
    ]),
  );
  for (const { transactionId, outputIndex, amount } of outputs) {
    const found = amounts.get(keyOf(transactionId, outputIndex));
    if (found === undefined) {
      throw new Contradiction(
        `the list of outputs leaves out ${transactionId.slice(0, 12)}…:${outputIndex}`,
      );
    }
    if (found !== String(amount)) {
      throw new Contradiction(
        `the list says ${found} atoms for ${transactionId.slice(0, 12)}…, proven are ${amount}`,
      );
    }
  }
  if (amounts.size > outputs.length)
    throw new Contradiction('the list has an output that does not exist');
  if (history.next_cursor !== undefined) return 'the list of outputs; the history has more pages';
  const received = new Set(
    history.events
      .filter(({ kind }) => kind === 'received')
      .map(({ outpoint }) => keyOf(outpoint.transaction_id, outpoint.output_index)),
  );
  const hidden = outputs.find(
    ({ transactionId, outputIndex }) => !received.has(keyOf(transactionId, outputIndex)),
  );
  if (hidden !== undefined) {
    throw new Contradiction(
      `the history hides the receipt of ${hidden.transactionId.slice(0, 12)}…:${hidden.outputIndex}`,
    );
  }
  return `${outputs.length} outputs in the list, and their receipts in the history`;
}

export const OUTPUT: ClaimKind<OutputClaim> = {
  read: async ({ client }, { transactionId, outputIndex }) => {
    const outpoints = [{ transaction_id: transactionId, output_index: outputIndex }];
    const { cut, proofs } = await client.proofsUtxos({ outpoints });
    const output = proofs[0]?.proof_hex;
    if (output === undefined || output === null)
      throw new Unprovable('the output is not unspent; only unspent ones are proven');
    return { height: cut.height, parts: { output } };
  },
  check: ({ transactionId, outputIndex }, { height, part }, { cutAt, network }) => {
    const { cut } = cutAt(height);
    const proof = fromHex(part('output'));
    const { address, amount } = checkUtxoProof(proof, cut, transactionId, outputIndex, network);
    return {
      value: undefined,
      facts: { address, amount: String(amount) },
      lines: [
        {
          says: `Output ${outputIndex} of ${transactionId} is unspent after ${cutName(height)}: ${coins(amount)} at ${address}.`,
          restsOn: `the output, whose hash leads to the state root in the header of ${cutName(height)}`,
        },
      ],
    };
  },
};
