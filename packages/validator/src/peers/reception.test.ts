import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CutId,
  createValidatorSet,
  type EncodedCut,
  height,
  initialState,
  type ProposalWithCut,
  round,
} from 'svc-finality';
import type { Driver } from '../driver.ts';
import { rulesFor } from '../start/timing.ts';
import { Reception, type ReceptionParts } from './reception.ts';

const HEIGHT = height(7);
const VALUE = 'a'.repeat(96) as CutId;

/** At height 7, whose proposers are the validators 0, 1 and 2; this node only follows. */
const RECEPTION = new Reception(
  {
    state: initialState({
      height: HEIGHT,
      set: createValidatorSet('set', [1n, 1n, 1n]),
      proposers: [0, 1, 2],
      self: undefined,
      startAtMs: 0n,
    }),
    rules: rulesFor(2_500),
    isMuted: false,
    signer: { state: { stopped: false } },
    ownIndexAt: () => undefined,
  } as unknown as Driver,
  {} as ReceptionParts,
);

/** Validator 1 proposes in round 1. */
function proposed(
  fields: { readonly height: bigint; readonly proposer: number },
  validRound = -1,
): ProposalWithCut {
  return {
    kind: 'proposalWithCut',
    proposal: {
      kind: 'proposal',
      height: HEIGHT,
      round: round(1),
      validRound: round(validRound),
      value: VALUE,
      validatorIndex: 1,
      signature: new Uint8Array(1),
    },
    cut: { value: VALUE, fields } as EncodedCut,
  };
}

test('a fresh proposal carries a cut of its proposer for its height; one made again any cut for its height', () => {
  const of = (proposer: number) => ({ height: 7n, proposer });
  assert.equal(RECEPTION.isWanted(proposed(of(1))), 'verify');
  assert.equal(RECEPTION.isWanted(proposed(of(0))), 'reject');
  assert.equal(RECEPTION.isWanted(proposed(of(0), 0)), 'verify');
  for (const validRound of [-1, 0])
    assert.equal(RECEPTION.isWanted(proposed({ height: 8n, proposer: 1 }, validRound)), 'reject');
});
