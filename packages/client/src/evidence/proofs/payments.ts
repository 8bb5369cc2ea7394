/**
 * Proofs that lead to the lists of a cut, which its header commits to: what became of a transaction, one payment, and
 * everything that came to an address and left it. None needs the bytes of a transaction.
 */
import {
  checkCutChanges,
  checkCutOutcomes,
  fromHex,
  type ProvenChange,
  type ProvenOutcome,
  toHex,
} from 'svc-wasm';
import { LABELS } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import type { Claim, Line } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';
import {
  type ClaimKind,
  coins,
  cutName,
  expectHeight,
  type GivenProof,
  type ProvenChain,
  type ReadContext,
  some,
  timeText,
} from './kind.ts';

type OutcomeClaim = Extract<Claim, { kind: 'outcome' }>;
type PaymentClaim = Extract<Claim, { kind: 'payment' }>;
type PaymentsClaim = Extract<Claim, { kind: 'payments' }>;

/** The most cuts of a claim `payments`: their headers take 54 of the 64 KB of a file. Of full cuts, about 16 fit. */
export const PAYMENTS_CUTS_MAX = 48;

/** The proof of what a cut did with a transaction, in hexadecimal. */
export async function readOutcome(
  { client }: ReadContext,
  height: number,
  id: string,
): Promise<string> {
  return (await client.proofsOutcomes({ height, transaction_ids: [id] })).proof_hex;
}

/** A cut may name a transaction more than once; the line that says most about it is the one that executed it. */
export function provenOutcome(
  id: string,
  { height, part }: GivenProof,
  { cutAt, network }: ProvenChain,
): ProvenOutcome {
  const proof = fromHex(part('outcome'));
  const found = checkCutOutcomes(proof, cutAt(height).cut, network).filter(
    ({ transactionId }) => transactionId === id,
  );
  const line = found.find(({ outcome }) => outcome === 'finalized') ?? found[0];
  if (line === undefined) throw new Contradiction('the proof is about another transaction');
  return line;
}

export const OUTCOME: ClaimKind<OutcomeClaim> = {
  read: async (context, { transactionId, height }) => ({
    height,
    parts: { outcome: await readOutcome(context, height, transactionId) },
  }),
  check: (claim, proof, chain) => {
    const { transactionId, outcome: claimed, height } = claim;
    expectHeight(proof, height);
    const { outcome, fee, payers } = provenOutcome(transactionId, proof, chain);
    if (outcome !== claimed)
      throw new Contradiction(
        `the transaction is ${outcome} in cut ${height}, claimed is ${claimed}`,
      );
    return {
      value: undefined,
      facts: { outcome, fee: String(fee), from: payers.join(' ') },
      lines: [outcomeLine(transactionId, height, outcome)],
    };
  },
  heights: ({ height }) => [height],
};

export function outcomeLine(id: string, height: number, outcome: string): Line {
  const did = outcome === 'finalized' ? 'executed' : `did not execute (${outcome})`;
  return {
    says: `${capital(cutName(height))} ${did} transaction ${id}.`,
    restsOn: outcomesOf(height),
  };
}

function outcomesOf(height: number): string {
  return `the entry of the transaction in the list of outcomes, whose root is in the header of ${cutName(height)}`;
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

export const PAYMENT: ClaimKind<PaymentClaim> = {
  read: async (context, { transactionId, to }) => {
    const { client } = context;
    const { finalized_cut } = await client.transactionStatus({ id: transactionId });
    if (finalized_cut === null || finalized_cut === undefined)
      throw new Unprovable('no cut has executed it yet');
    const { height } = finalized_cut;
    const outcome = await readOutcome(context, height, transactionId);
    const { proof_hex: changes } = await client.proofsChanges({ height, addresses: [to] });
    // Only a node that still has the bytes of the transaction shows its note; the hash of the note is proven without it.
    const shown = await client.transaction({ id: transactionId }).catch(() => undefined);
    const note = shown === undefined ? {} : { note: shown.payload_hex };
    return { height, parts: { outcome, changes, ...note } };
  },
  check: (claim, proof, chain) => {
    const { transactionId, to, amount } = claim;
    const { height } = proof;
    const { cut, header } = chain.cutAt(height);
    const { outcome, fee, noteHash, payers } = provenOutcome(transactionId, proof, chain);
    if (outcome !== 'finalized')
      throw new Contradiction(`the transaction was not executed: ${outcome}`);
    const changes = checkCutChanges(fromHex(proof.part('changes')), cut, [to]).get(to) ?? [];
    const received = changes
      .filter((change) => change.kind === 'received' && change.transactionId === transactionId)
      .reduce((sum, change) => sum + change.amount, 0n);
    if (String(received) !== amount)
      throw new Contradiction(`the payment was of ${received} atoms, claimed are ${amount}`);
    const note = provenNote(proof.optionalPart('note'), noteHash);
    return {
      value: undefined,
      facts: {
        to,
        amount,
        from: payers.join(' '),
        fee: String(fee),
        note_hash: noteHash,
        ...(note === undefined ? {} : { note_hex: note }),
        time_millis: String(header.time),
      },
      lines: [
        {
          says: `Transaction ${transactionId} paid ${coins(received)} to ${to}.`,
          restsOn: `the outputs that came to this address, in the list of changes whose root is in the header of ${cutName(height)}`,
        },
        {
          says: `It was paid from ${payers.join(' and ')}, with a fee of ${coins(fee)}.`,
          restsOn: `${outcomesOf(height)}: validators had checked the signatures of these addresses`,
        },
        noteLine(note, noteHash, height),
        {
          says: `It was paid in ${cutName(height)}, at ${timeText(header.time)}.`,
          restsOn: `the time in the header of ${cutName(height)}`,
        },
      ],
    };
  },
};

/** The note in hexadecimal if the proof has it. */
function provenNote(note: string | undefined, noteHash: string): string | undefined {
  if (note === undefined || (note === '' && noteHash === '')) return undefined;
  if (toHex(hashLabel(LABELS.note, fromHex(note))) !== noteHash)
    throw new Contradiction('the note that the node shows is not the one that was signed');
  return note;
}

function noteLine(note: string | undefined, noteHash: string, height: number): Line {
  if (noteHash === '') return { says: 'It has no note.', restsOn: outcomesOf(height) };
  if (note === undefined) {
    return {
      says: `It has a note, of which the hash alone is proven here: ${noteHash}.`,
      restsOn: outcomesOf(height),
    };
  }
  return {
    says: `It has a note of ${some(note.length / 2, 'byte')}: ${noteText(note)}`,
    restsOn: `the bytes of the note, whose hash is in ${outcomesOf(height)}`,
  };
}

/** A note as text if it is text, else in hexadecimal. */
function noteText(note: string): string {
  try {
    return `“${new TextDecoder('utf-8', { fatal: true }).decode(fromHex(note))}”`;
  } catch {
    return note;
  }
}

export const PAYMENTS: ClaimKind<PaymentsClaim> = {
  read: async ({ client }, claim) => {
    const { address } = claim;
    const parts: Record<string, string> = {};
    for (const height of heightsOf(claim)) {
      const { proof_hex } = await client.proofsChanges({ height, addresses: [address] });
      parts[`changes_${height}`] = proof_hex;
    }
    return { height: claim.toHeight, parts };
  },
  check: (claim, proof, { cutAt }) => {
    const { address, fromHeight, toHeight } = claim;
    expectHeight(proof, toHeight);
    const rows = heightsOf(claim).flatMap((height) => {
      const bytes = fromHex(proof.part(`changes_${height}`));
      const changes = checkCutChanges(bytes, cutAt(height).cut, [address]).get(address) ?? [];
      return changes.map((change) => ({ height, change }));
    });
    const sumOf = (kind: ProvenChange['kind']): bigint =>
      rows.reduce((sum, { change }) => (change.kind === kind ? sum + change.amount : sum), 0n);
    const [received, spent] = [sumOf('received'), sumOf('spent')];
    return {
      value: undefined,
      facts: { received: String(received), spent: String(spent), changes: String(rows.length) },
      lines: [
        {
          says: `From ${cutName(fromHeight)} to ${cutName(toHeight)}, ${coins(received)} came to ${address} and ${coins(spent)} left it, in ${some(rows.length, 'output')}, and nothing else.`,
          restsOn:
            'for each of these cuts, the entries on both sides of the address in its list of changes, whose root is in its header',
        },
        ...rows.map(({ height, change }) => changeLine(height, change)),
      ],
    };
  },
  heights: (claim) => heightsOf(claim),
};

function changeLine(height: number, change: ProvenChange): Line {
  const { kind, amount, output, transactionId } = change;
  const place = `output ${output.outputIndex} of ${output.transactionId}`;
  const did = kind === 'received' ? `came in ${place}` : `left: ${transactionId} spent ${place}`;
  return {
    says: `In ${cutName(height)}, ${coins(amount)} ${did}.`,
    restsOn: `an entry in the list of changes of ${cutName(height)}`,
  };
}

function heightsOf({ fromHeight, toHeight }: PaymentsClaim): number[] {
  const count = toHeight - fromHeight + 1;
  if (fromHeight < 1 || count < 1 || count > PAYMENTS_CUTS_MAX)
    throw new Unprovable(`payments are proven for 1 to ${PAYMENTS_CUTS_MAX} cuts at once`);
  return Array.from({ length: count }, (_, at) => fromHeight + at);
}
