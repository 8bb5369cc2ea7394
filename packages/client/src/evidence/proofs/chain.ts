/**
 * Proofs about the chain itself: its head, one of its cuts, the set that signs.
 */
import { fromHex, toHex } from 'svc-wasm';
import { decodeValidatorSet } from 'svc-wasm/protocol';
import type { Claim } from '../claims.ts';
import { Contradiction } from '../verdicts.ts';
import {
  type ClaimKind,
  coins,
  cutName,
  expectHeight,
  type ProvenChain,
  type ProvenCut,
  timeText,
} from './kind.ts';

type CutClaim = Extract<Claim, { kind: 'cut' }>;
type StakeClaim = Extract<Claim, { kind: 'stake' }>;

export const HEAD: ClaimKind<{ kind: 'head' }, ProvenCut> = {
  read: async ({ head }) => ({
    height: head.cut.height,
    parts: {},
    compare: ({ cut, header }) => {
      if (cut.cutId !== head.cut.cut_id || cut.stateRoot !== head.cut.state_root) {
        throw new Contradiction(
          'the head that the node names is not the cut its validators signed',
        );
      }
      if (header.time !== BigInt(head.time_millis)) {
        throw new Contradiction(
          'the node names another time than the header its validators signed',
        );
      }
      return 'id, state root and time of the head';
    },
  }),
  check: (_, { height }, { cutAt }) => {
    const proven = cutAt(height);
    const { cut, header } = proven;
    return {
      value: proven,
      facts: {
        cut_id: cut.cutId,
        state_root: cut.stateRoot,
        signers: String(cut.signers.length),
      },
      lines: [cutLine(height, cut.cutId, header.time)],
    };
  },
};

export const CUT: ClaimKind<CutClaim, ProvenCut> = {
  read: async ({ client }, { height }) => ({
    height,
    parts: {},
    compare: async ({ cut, header }) => {
      const { cut: shown } = await client.cut({ height });
      return compareAll([
        ['cut id', shown.cut_id, cut.cutId],
        ['state root', shown.state_root, cut.stateRoot],
        ['parent', shown.parent_cut_id, toHex(header.parentCutId)],
        ['outcome root', shown.outcome_root, toHex(header.outcomeRoot)],
        ['validator set', shown.validator_set_id, cut.validatorSetId],
        ['next validator set', shown.next_validator_set_id, cut.nextValidatorSetId],
        ['time', String(shown.time_millis), String(header.time)],
        ['number of registered blocks', `${shown.registered_work}`, `${header.registeredCount}`],
        ['work target', shown.work_target, toHex(header.workTarget)],
      ]);
    },
  }),
  check: ({ height, cutId, stateRoot }, proof, { cutAt }) => {
    expectHeight(proof, height);
    const proven = cutAt(height);
    const { cut, header } = proven;
    compareAll([
      ['cut id', cutId, cut.cutId],
      ['state root', stateRoot, cut.stateRoot],
    ]);
    return {
      value: proven,
      facts: { signers: String(cut.signers.length) },
      lines: [cutLine(height, cutId, header.time)],
    };
  },
  heights: ({ height }) => [height],
};

function cutLine(height: number, id: string, time: bigint) {
  return {
    says: `The cut of height ${height.toLocaleString('en')} is ${id}, of ${timeText(time)}.`,
    restsOn: 'the header of the cut, which hashes to this id',
  };
}

function compareAll(pairs: readonly (readonly [string, string, string])[]): string {
  for (const [name, said, signed] of pairs) {
    if (said !== signed)
      throw new Contradiction(`${name}: the node says ${said}, signed was ${signed}`);
  }
  return `${pairs.length} fields of the signed header`;
}

export const VALIDATORS: ClaimKind<{ kind: 'validators' }, ProvenChain> = {
  read: async ({ client, head }) => {
    const shown = await client.cutValidators({ height: head.cut.height });
    return {
      height: null,
      parts: {},
      compare: async (_, chain) => {
        const { id } = decodeValidatorSet(fromHex(shown.validator_set_hex));
        if (
          BigInt(head.cut.height) === chain.head.height &&
          toHex(id) !== chain.head.validatorSetId
        )
          throw new Contradiction(
            'the set that the node shows is not the one in the signed header',
          );
        const page = await client.stakingValidators({ limit: 256 });
        if (page.epoch !== head.epoch) return 'the epoch has just changed; not compared';
        return compareMembers(chain, page.validators, page.next_cursor !== undefined);
      },
    };
  },
  check: (_, proof, chain) => {
    expectHeight(proof, chain.head.height);
    return {
      value: chain,
      facts: {
        members: String(chain.set.validators.length),
        stake: String(chain.set.totalStake),
      },
      lines: [
        {
          says: `${chain.set.validators.length} validators with ${coins(chain.set.totalStake)} of stake signed or could sign ${cutName(chain.head.height)}.`,
          restsOn:
            'their keys and stakes, which hash to the validator set in the header of that cut',
        },
      ],
    };
  },
};

/** The committee that the node lists has the members of the set. */
function compareMembers(
  { set }: ProvenChain,
  validators: readonly { readonly validator: string; readonly committee: boolean }[],
  hasMore: boolean,
): string {
  const signing = new Set(set.validators.map(({ id }) => toHex(id)));
  const listed = validators.filter(({ committee }) => committee);
  const missing = [...signing].find((id) => !listed.some(({ validator }) => validator === id));
  if (missing !== undefined && !hasMore)
    throw new Contradiction(`the list leaves out ${missing.slice(0, 12)}…, which signs`);
  const extra = listed.find(({ validator }) => !signing.has(validator));
  if (extra !== undefined) {
    throw new Contradiction(
      `the list has ${extra.validator.slice(0, 12)}… in the committee, which does not sign`,
    );
  }
  return `${listed.length} members of the committee`;
}

export const STAKE: ClaimKind<StakeClaim> = {
  read: async () => ({ height: null, parts: {} }),
  check: ({ validatorId }, proof, { head, set }) => {
    expectHeight(proof, head.height);
    const found = set.validators.find(({ id }) => toHex(id) === validatorId);
    if (found === undefined)
      throw new Contradiction(`the validator is not in the set that signed cut ${head.height}`);
    const share = Number((found.stake * 1_000n) / set.totalStake) / 10;
    return {
      value: undefined,
      facts: { stake: String(found.stake), total_stake: String(set.totalStake) },
      lines: [
        {
          says: `Validator ${validatorId} has ${coins(found.stake)} of stake, ${share} % of the ${coins(set.totalStake)} of all who sign ${cutName(head.height)}.`,
          restsOn:
            'its entry in the validator set, which hashes to the id in the header of that cut',
        },
      ],
    };
  },
};
