/**
 * What a full node of the simulation does with blocks and logs, in a form that a mutant can break.
 */
import type { ProposalBlocks, WorkBlockPool } from 'svc-node/chain';
import type { HeightRecords, ValidatorBlocks } from 'svc-validator';
import { toHex } from 'svc-wasm/base';

type Submission = (header: Uint8Array, body: Uint8Array) => Promise<unknown>;

/** The two ways of a block into a node: a miner or peer brings it, or a proposal names it. */
export interface BlockGates {
  readonly fromMiner: Submission;
  readonly forProposal: (...block: Parameters<ValidatorBlocks['submit']>) => Promise<unknown>;
}

export interface NodeRules {
  readonly gatesOf: (pool: WorkBlockPool, proposals: ProposalBlocks) => BlockGates;
  readonly recordsOf: (records: HeightRecords) => HeightRecords;
  /** Whether blocks that a proposal names are on the disk. */
  readonly keepsProposalBlocks: boolean;
}

export const NODE_RULES: NodeRules = {
  gatesOf: (pool, proposals) => ({
    fromMiner: (header, body) => pool.submit(header, body),
    forProposal: (header, body, isNeeded) => proposals.submit(header, body, isNeeded),
  }),
  recordsOf: (records) => records,
  keepsProposalBlocks: true,
};

export interface NodeMutant {
  readonly name: string;
  readonly breaks: string;
  readonly rules: NodeRules;
}

export const NODE_MUTANTS: readonly NodeMutant[] = [
  {
    name: 'oneBlockForABody',
    breaks: 'a node has one block for a body, also where a proposal names another',
    rules: {
      ...NODE_RULES,
      gatesOf: (pool, proposals) => {
        const { fromMiner, forProposal } = NODE_RULES.gatesOf(pool, proposals);
        const isFirst = firstForBody();
        return {
          fromMiner: async (header, body) => isFirst(header, body) && fromMiner(header, body),
          forProposal: async (header, body, isNeeded) =>
            isFirst(header, body) && forProposal(header, body, isNeeded),
        };
      },
    },
  },
  {
    name: 'proposalsThroughPool',
    breaks: 'blocks of a proposal have to find room in the pool and in its budget for hashes',
    rules: {
      ...NODE_RULES,
      gatesOf: (pool) => ({
        fromMiner: (header, body) => pool.submit(header, body),
        forProposal: (header, body) => pool.submit(header, body),
      }),
    },
  },
  {
    name: 'previousNotLogged',
    breaks: 'precommits of the cut before are in memory alone',
    rules: { ...NODE_RULES, recordsOf: withoutPreviousVotes },
  },
  {
    name: 'proposalBlocksForgotten',
    breaks: 'blocks that a proposal named are not on the disk before the vote',
    rules: { ...NODE_RULES, keepsProposalBlocks: false },
  },
];

/** Whether a header is the first that came with its body. */
function firstForBody(): (header: Uint8Array, body: Uint8Array) => boolean {
  const headers = new Map<string, string>();
  return (header, body) => {
    const [name, found] = [toHex(body), toHex(header)];
    const known = headers.get(name);
    if (known === undefined) headers.set(name, found);
    return known === undefined || known === found;
  };
}

function withoutPreviousVotes(records: HeightRecords): HeightRecords {
  const { foundLog, foundCuts } = records;
  const [first] = foundLog.type === 'read' ? foundLog.inputs : [];
  let height: number = first?.type === 'startHeight' ? first.context.height : 0;
  return {
    foundLog,
    foundCuts,
    resume: (bytes, count) => records.resume(bytes, count),
    append: (input) => {
      if (input.type === 'startHeight') height = input.context.height;
      if (input.type !== 'vote' || input.vote.height >= height) records.append(input);
    },
    storeCut: (cut) => records.storeCut(cut),
    sync: () => records.sync(),
    reset: () => records.reset(),
    close: () => records.close(),
  };
}
