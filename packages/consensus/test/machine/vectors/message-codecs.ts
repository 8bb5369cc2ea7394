/**
 * The messages of `docs/protocol.md` 8.6 that are no signed message, certificate or evidence alone, and what a validator writes down
 * (8.7): how to make any of a kind, for the conformance digests. Signatures are arbitrary bytes.
 */
import { toHex } from 'svc-wasm/base';
import { encodeCutBody, encodeCutHeader, evidenceRoot, registeredRoot } from 'svc-wasm/protocol';
import type { Codec } from '../../../../protocol/test/generate/codec.ts';
import type { Random } from '../../../../protocol/test/generate/random.ts';
import {
  BLOCKS_PER_REQUEST_MAX,
  type CommitCertificate,
  type CutId,
  createValidatorSet,
  decodeCut,
  decodeInput,
  decodeMessage,
  decodeSignState,
  encodeInput,
  encodeMessage,
  encodeSignState,
  type Height,
  type HeightContext,
  height,
  type LoggedInput,
  limits,
  NIL,
  NO_ROUND,
  type Proposal,
  type Round,
  round,
  type SignState,
  type Summary,
  type Vote,
  type WireMessage,
} from '../../../src/machine/index.ts';
import { headerOf } from '../wire/cluster.ts';
import { makeCommittee } from '../wire/committee.ts';

const COMMITTEE = makeCommittee('conformance', [1n, 1n, 1n, 1n]);
const { wire } = COMMITTEE;
const SIGNATURE_BYTES = 3_309;
const HEADER_BYTES = 312;
/** A body of the largest size each time would take hours. */
const BODY_BYTES_MAX = 500;
const TIMERS = ['start', 'propose', 'prevote', 'precommit'] as const;
const VERDICTS = ['invalid', 'valid', 'unknown'] as const;
const STEPS = ['unstarted', 'propose', 'prevote', 'precommit', 'decided'] as const;

function anyHeight(random: Random): Height {
  return height(random.chance(10) ? Number.MAX_SAFE_INTEGER : Number(random.u64() >> 11n));
}

function anyRound(random: Random): Round {
  return round(random.chance(10) ? limits.ROUND_MAX : random.below(8));
}

function anyId(random: Random): string {
  return toHex(random.bytes(48));
}

function anySummary(random: Random): Summary {
  const first = random.below(5);
  const gap = 1 + random.below(3);
  const bitmaps = random.list(0, limits.SUMMARY_ROUNDS_MAX, () => ({
    proposals: random.below(limits.PROPOSALS_PER_ROUND_MAX + 1),
    prevotes: random.u64(),
    precommits: random.u64(),
  }));
  const rounds = bitmaps.map((each, at) => ({ round: round(first + gap * at), ...each }));
  const wantedPolka = { round: anyRound(random), value: anyId(random) as CutId };
  return {
    kind: 'summary',
    height: anyHeight(random),
    round: random.chance(10) ? NO_ROUND : anyRound(random),
    step: random.pick(STEPS),
    rounds,
    wantedPolka: random.chance(50) ? undefined : wantedPolka,
  };
}

function anyCut(random: Random) {
  const blockIds = random.list(0, 5, () => random.bytes(48));
  const header = encodeCutHeader({
    ...headerOf(COMMITTEE, random.below(4)),
    stateRoot: random.bytes(48),
    registeredRoot: registeredRoot(blockIds),
    registeredCount: blockIds.length,
    registeredBytes: 700 * blockIds.length,
    evidenceRoot: evidenceRoot([]),
  });
  return decodeCut(header, encodeCutBody({ blockIds, evidence: [] }));
}

function anyProposalWithCut(random: Random): WireMessage {
  const cut = anyCut(random);
  const at = random.below(8);
  const proposal = {
    kind: 'proposal',
    height: anyHeight(random),
    round: round(at),
    validRound: round(random.between(-1, at - 1)),
    value: cut.value,
    validatorIndex: random.below(4),
    signature: random.bytes(SIGNATURE_BYTES),
  } as const;
  return { kind: 'proposalWithCut', proposal, cut };
}

function anyDecision(random: Random): WireMessage {
  const cut = anyCut(random);
  return { kind: 'decision', certificate: anyCertificate(random, cut.value), cut };
}

function anyCertificate(random: Random, value = anyId(random) as CutId): CommitCertificate {
  const signatures = random.list(1, 4, () => random.bytes(SIGNATURE_BYTES));
  return {
    kind: 'commitCertificate',
    height: anyHeight(random),
    round: anyRound(random),
    value,
    signers: (1n << BigInt(signatures.length)) - 1n,
    signatures,
  };
}

function anyVoteReport(random: Random): WireMessage {
  const digests = random.list(0, 4, () => ({
    height: anyHeight(random),
    version: random.u32(),
    entries: random.list(0, 12, () => ({
      kind: random.pick(['proposal', 'prevote', 'precommit'] as const),
      round: anyRound(random),
      validRound: random.chance(50) ? NO_ROUND : anyRound(random),
      value: random.chance(30) ? NIL : (anyId(random) as CutId),
      signers: random.u64(),
    })),
  }));
  const heard = random.list(0, 8, () => ({ height: anyHeight(random), version: random.u32() }));
  return { kind: 'voteReport', digests, heard };
}

const MESSAGES: Readonly<Record<string, (random: Random) => WireMessage>> = {
  summary: anySummary,
  polka_request: (random) => ({
    kind: 'polkaRequest',
    height: anyHeight(random),
    round: anyRound(random),
    value: anyId(random) as CutId,
  }),
  precommits_request: (random) => ({
    kind: 'precommitsRequest',
    height: anyHeight(random),
    round: anyRound(random),
    signers: random.u64(),
  }),
  proposal_with_cut: anyProposalWithCut,
  decision: anyDecision,
  cut_request: (random) => ({
    kind: 'cutRequest',
    height: anyHeight(random),
    value: anyId(random) as CutId,
  }),
  cut: (random) => ({ kind: 'cut', cut: anyCut(random) }),
  blocks_request: (random) => ({
    kind: 'blocksRequest',
    ids: random.list(1, BLOCKS_PER_REQUEST_MAX, () => anyId(random)),
  }),
  block: (random) => ({
    kind: 'block',
    header: random.bytes(HEADER_BYTES),
    body: random.bytes(random.between(1, BODY_BYTES_MAX)),
  }),
  vote_report: anyVoteReport,
};

function anySignState(random: Random): SignState {
  const last = {
    height: anyHeight(random),
    round: anyRound(random),
    step: random.pick([0, 1, 2] as const),
    signedBytes: random.bytes(random.between(1, 200)),
    signature: random.bytes(SIGNATURE_BYTES),
  };
  return {
    keyId: random.bytes(48),
    silentThrough: anyHeight(random),
    stopped: random.chance(30),
    last: random.chance(20) ? undefined : last,
  };
}

function anyVote(random: Random): Vote {
  const isPrevote = random.chance(50);
  const at = random.below(8);
  return {
    kind: isPrevote ? 'prevote' : 'precommit',
    height: anyHeight(random),
    round: round(at),
    validRound: isPrevote ? round(random.between(-1, at - 1)) : NO_ROUND,
    value: anyId(random) as CutId,
    validatorIndex: random.below(4),
    signature: random.bytes(SIGNATURE_BYTES),
  };
}

function anyProposal(random: Random): Proposal {
  const { kind, ...fields } = anyVote(random);
  return { ...fields, kind: 'proposal', value: fields.value as CutId };
}

function anyLogged(random: Random): LoggedInput {
  const [height, value] = [anyHeight(random), anyId(random) as CutId];
  const [at, nowMs] = [anyRound(random), random.u64()];
  return random.pick<() => LoggedInput>([
    () => ({ type: 'startHeight', context: anyContext(random) }),
    () => ({ type: 'timer', timer: random.pick(TIMERS), height, round: at, nowMs }),
    () => ({
      type: 'proposal',
      proposal: anyProposal(random),
      cutTimeMs: nowMs,
      receivedAtMs: random.u64(),
    }),
    () => ({ type: 'vote', vote: anyVote(random) }),
    () => ({ type: 'commitCertificate', certificate: anyCertificate(random) }),
    () => ({
      type: 'polkaCertificate',
      certificate: { ...anyCertificate(random), kind: 'polkaCertificate', validRound: NO_ROUND },
    }),
    () => ({ type: 'cutBuilt', height, round: at, value }),
    () => ({ type: 'verdict', height, value, verdict: random.pick(VERDICTS) }),
    () => ({
      type: 'signed',
      message: random.chance(50) ? anyVote(random) : anyProposal(random),
    }),
  ])();
}

function anyContext(random: Random): HeightContext {
  const stakes = random.list(1, 6, () => random.amount());
  return {
    height: anyHeight(random),
    startAtMs: random.u64(),
    self: random.chance(30) ? undefined : random.below(stakes.length),
    set: createValidatorSet(anyId(random), stakes),
    proposers: random.list(1, 6, () => random.below(stakes.length)),
  };
}

function signStateAgain(bytes: Uint8Array): Uint8Array {
  const state = decodeSignState(bytes);
  if (state === undefined) throw new Error('a sign state is refused');
  return encodeSignState(state);
}

const WRITTEN_CODECS: readonly Codec[] = [
  {
    name: 'sign_state',
    generate: (random) => encodeSignState(anySignState(random)),
    again: signStateAgain,
  },
  {
    name: 'log_input',
    generate: (random) => encodeInput(wire, anyLogged(random)),
    again: (bytes) => encodeInput(wire, decodeInput(wire, bytes)),
  },
];

const SENT_CODECS: readonly Codec[] = Object.entries(MESSAGES).map(([name, anyOf]) => ({
  name,
  generate: (random) => encodeMessage(wire, anyOf(random)),
  again: (bytes) => encodeMessage(wire, decodeMessage(wire, bytes)),
}));

export const MESSAGE_CODECS: readonly Codec[] = [...SENT_CODECS, ...WRITTEN_CODECS];
