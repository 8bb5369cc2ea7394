/**
 * Proves what an address has: a proof of completeness against a certified cut, then the node's own lists against it.
 */
import { type CertifiedCut, checkAddressCompleteness, fromHex, type ProvenAddress } from 'svc-wasm';
import type { CheckContext } from '../check-context.ts';
import type { ProofResult } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';
import { certified } from './certified-head.ts';

/** While cuts come quickly, two reads are rarely of one height. */
const TRIES = 12;
const OUTPUTS_LISTED_MAX = 512;
const HISTORY_LISTED_MAX = 256;

export async function checkBalance(context: CheckContext, address: string): Promise<ProofResult> {
  const { client, trust, step } = context;
  const head = await step('The node names its head', async () => {
    const found = await trust.head();
    return [found, `cut ${found.cut.height}`];
  });
  const said = await step('Balance and proof of the same height', () =>
    readAtOneHeight(context, address),
  );
  const { height } = said;
  if (height < (trust.document?.height ?? 0)) {
    throw new Contradiction(`the proof is of cut ${height}, before what this reader has certified`);
  }
  const { cut } = await certified(context, head, height);
  const proven = await step('The proof leads to the signed state root', async () => {
    const found = checkAddressCompleteness(fromHex(said.proofHex), cut, address);
    return [
      found,
      `${found.outputs.length} outputs, and no other; together ${found.balance} atoms`,
    ];
  });
  await step('The node’s answers agree with the proof', async () => {
    if (BigInt(said.balance) !== proven.balance) {
      throw new Contradiction(`the node says ${said.balance} atoms, proven are ${proven.balance}`);
    }
    if (said.utxos !== proven.outputs.length) {
      throw new Contradiction(
        `the node says ${said.utxos} outputs, proven are ${proven.outputs.length}`,
      );
    }
    return [undefined, 'sum and number of outputs are the proven ones'];
  });
  await step('No output is missing from the lists', async () => [
    undefined,
    await compareLists(client, address, cut, proven),
  ]);
  return {
    verdict: 'checked',
    height,
    facts: { balance: String(proven.balance), outputs: String(proven.outputs.length) },
  };
}

interface SaidBalance {
  readonly height: number;
  readonly balance: string;
  readonly utxos: number;
  readonly proofHex: string;
}

async function readAtOneHeight(
  { client }: CheckContext,
  address: string,
): Promise<readonly [SaidBalance, string]> {
  for (let tries = 0; tries < TRIES; tries++) {
    const proof = await client.addressProof({ address });
    const { balance, utxos, indexed_height } = await client.addressBalance({ address });
    if (indexed_height !== proof.finalized_height) continue;
    if (proof.cut.height !== indexed_height) {
      throw new Contradiction(
        `the proof names cut ${proof.cut.height} for height ${indexed_height}`,
      );
    }
    const said = { height: indexed_height, balance, utxos, proofHex: proof.proof_hex };
    return [said, `both of cut ${indexed_height}`];
  }
  throw new Unprovable('cuts come faster than balance and proof can be read at one height');
}

/** Compares lists that are of the proven height, or of one at which the balance is still the same. */
async function compareLists(
  client: CheckContext['client'],
  address: string,
  cut: CertifiedCut,
  { outputs, balance }: ProvenAddress,
): Promise<string> {
  const height = Number(cut.height);
  if (outputs.length > OUTPUTS_LISTED_MAX) return 'more outputs than one page lists; not compared';
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
  if (history.next_cursor !== undefined)
    return 'the list of outputs is whole; the history has more pages';
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
  return `${outputs.length} outputs are in the list, and their receipts in the history`;
}
