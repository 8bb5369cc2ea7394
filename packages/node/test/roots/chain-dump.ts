/**
 * A short chain of a development network as its HTTP API shows it, for checks that share no code with this repository.
 */
import assert from 'node:assert/strict';
import { Caller } from '../dev/kit.ts';

const COIN = 100_000_000n;
/** Beyond the window of an anchor, so that rewards are paid. */
const CUTS = 110;

interface Paged {
  readonly next_cursor?: string;
}

/** Everything of a list that comes in pages. */
async function listOf<Row>(caller: Caller, path: string, name: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | undefined; ; ) {
    const { body } = await caller.get<Paged & Record<string, Row[]>>(
      cursor === undefined ? path : `${path}?cursor=${cursor}`,
    );
    rows.push(...(body[name] ?? assert.fail(`${path} has no ${name}`)));
    cursor = body.next_cursor;
    if (cursor === undefined) return rows;
  }
}

async function proofOf(caller: Caller, path: string, body: object): Promise<string> {
  const { body: answer } = await caller.post<{ proof_hex?: string }>(path, {
    api_version: 1,
    ...body,
  });
  return answer.proof_hex ?? assert.fail(`${path}: ${JSON.stringify(answer)}`);
}

export async function chainDump(): Promise<object> {
  const caller = await Caller.start({ cutTime: 'manual' });
  try {
    await caller.network.mine(4);
    for (let payment = 0; payment < 3; payment++) {
      const amount = BigInt(payment + 1) * COIN;
      await caller.minedStatus(await caller.pay({ from: payment, to: payment + 1, amount }));
    }
    await caller.network.mine(CUTS);
    const { body: head } = await caller.get<{ chain_id: string; cut: { height: number } }>(
      '/v1/chain/head',
    );
    const last = head.cut.height;
    const addresses = [0, 1, 2, 3, 8].map((account) => caller.accountText(account));
    const cuts = [];
    for (let height = 1; height <= last; height++) {
      const { body } = await caller.get<{ header_hex: string; cut: { cut_id: string } }>(
        `/v1/cuts/${height}/certificate`,
      );
      const path = `/v1/cuts/${height}`;
      const outcomes = await listOf<{ transaction_id: string }>(
        caller,
        `${path}/transactions`,
        'transactions',
      );
      const transaction_ids = outcomes.slice(0, 2).map(({ transaction_id }) => transaction_id);
      cuts.push({
        height,
        header_hex: body.header_hex,
        outcomes,
        changes: await listOf(caller, `${path}/changes`, 'changes'),
        changes_proof_hex: await proofOf(caller, '/v1/proofs/changes', { height, addresses }),
        outcomes_proof:
          transaction_ids.length === 0
            ? null
            : {
                transaction_ids,
                proof_hex: await proofOf(caller, '/v1/proofs/outcomes', {
                  height,
                  transaction_ids,
                }),
              },
      });
    }
    const heights = [1, 2, Math.floor(last / 2), last - 1];
    const proof_hex = await proofOf(caller, '/v1/proofs/cuts', { height: last, heights });
    return {
      chain_id: head.chain_id,
      addresses,
      cuts,
      history_proof: { height: last, heights, proof_hex },
    };
  } finally {
    await caller.close();
  }
}
