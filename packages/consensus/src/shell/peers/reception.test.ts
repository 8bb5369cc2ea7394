import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CutId,
  commitCertificateOf,
  createValidatorSet,
  type EncodedCut,
  height,
  type Input,
  initialState,
  NO_ROUND,
  type PreviousCommits,
  type ProposalWithCut,
  previousCommitsOf,
  round,
  type WireMessage,
} from 'svc-consensus/machine';
import type { Driver } from '../driver.ts';
import { rulesFor } from '../start/timing.ts';
import { Reception, type ReceptionParts } from './reception.ts';

const HEIGHT = height(7);
const VALUE = 'a'.repeat(96) as CutId;

const SET = createValidatorSet('set', [1n, 1n, 1n]);

interface Situation {
  readonly parts?: object;
  readonly previous?: PreviousCommits;
  readonly inputs?: Input[];
}

/** At height 7, whose proposers are the validators 0, 1 and 2; this node only follows. */
function receptionWith({ parts = {}, previous, inputs = [] }: Situation = {}): Reception {
  const context = {
    height: HEIGHT,
    set: SET,
    proposers: [0, 1, 2],
    self: undefined,
    startAtMs: 0n,
  };
  return new Reception(
    {
      state: initialState(context, previous),
      height: HEIGHT,
      rules: rulesFor(2_500),
      isMuted: false,
      signer: { state: { stopped: false } },
      ownIndexAt: () => undefined,
      indexOf: () => 1,
      input: (input: Input) => void inputs.push(input),
    } as unknown as Driver,
    parts as ReceptionParts,
  );
}

const RECEPTION = receptionWith();

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

test('of the height before, certificates of another cut and of a round that a header claims are wanted', () => {
  const commit = (value: CutId, at: number) =>
    commitCertificateOf(
      SET.stakes.map((_, validatorIndex) => ({
        kind: 'precommit',
        height: height(HEIGHT - 1),
        round: round(at),
        validRound: NO_ROUND,
        value,
        validatorIndex,
        signature: new Uint8Array(1),
      })),
      value,
    );
  const reception = receptionWith({
    previous: previousCommitsOf(SET, commit(VALUE, 0)),
    parts: {
      fetcher: { isWantedRound: (at: number) => at === 9 },
      exchange: { isCertificateWanted: () => false },
    },
  });
  assert.equal(reception.isWanted(commit(VALUE, 1)), 'drop');
  assert.equal(reception.isWanted(commit(VALUE, 9)), 'verify');
  assert.equal(reception.isWanted(commit('b'.repeat(96) as CutId, 1)), 'verify');
});

test('a summary that was passed on is not answered: the validator that it names may have sent none', () => {
  const inputs: Input[] = [];
  const reception = receptionWith({ inputs, parts: { budget: { mayAsk: () => true } } });
  const summary: WireMessage = {
    kind: 'summary',
    height: HEIGHT,
    round: round(0),
    step: 'prevote',
    rounds: [],
    wantedPolka: undefined,
  };
  for (const isDirect of [false, true]) {
    reception.deliver({ from: 'b', isDirect, account: 'b', message: summary, atMillis: 0 });
    assert.equal(inputs.length, isDirect ? 1 : 0);
  }
});
