/**
 * One encoding per message: what is decoded encodes to the same bytes, and what is not is refused
 * with a code.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SvcError, toHex } from 'svc-wasm/base';
import { encodeCutBody, encodeCutHeader, evidenceRoot, registeredRoot } from 'svc-wasm/protocol';
import type {
  CutId,
  Input,
  RoundSummary,
  SignedMessage,
  Summary,
  WireMessage,
} from '../../../src/machine/index.ts';
import {
  BLOCKS_PER_REQUEST_MAX,
  CUT_BYTES_MAX,
  commitCertificateOf,
  decodeCut,
  decodeEvidence,
  decodeInput,
  decodeMessage,
  decodeSummary,
  encodeEvidence,
  encodeInput,
  encodeMessage,
  encodeSummary,
  height,
  limits,
  NIL,
  NO_ROUND,
  polkaCertificateOf,
  round,
  SUMMARY_BYTES_MAX,
  Verifier,
  WIRE_BYTES_MAX,
  WIRE_MESSAGE_BYTES_MAX,
} from '../../../src/machine/index.ts';
import { contextFor, HEIGHT, headerOf } from './cluster.ts';
import { CHAIN_ID, makeCommittee, signAs } from './committee.ts';

const COMMITTEE = makeCommittee('encodings', [1n, 1n, 1n, 1n]);
const { wire } = COMMITTEE;
/** A cut with a body, whose header says so. */
function makeCut(blockIds: readonly Uint8Array[]) {
  const header = encodeCutHeader({
    ...headerOf(COMMITTEE, 2),
    registeredRoot: registeredRoot(blockIds),
    registeredCount: blockIds.length,
    registeredBytes: 700 * blockIds.length,
    evidenceRoot: evidenceRoot([]),
  });
  return decodeCut(header, encodeCutBody({ blockIds, evidence: [] }));
}
const BLOCK_IDS = [1, 2, 3].map((byte) => new Uint8Array(48).fill(byte));
const MADE = makeCut(BLOCK_IDS);
const CUT = MADE.value;

/** The two messages in the one order that evidence has. */
function inOrder<M extends SignedMessage>(a: M, b: M): { first: M; second: M } {
  const evidence = decodeEvidence(wire, encodeEvidence(wire, { first: a, second: b }));
  return evidence.first.value === a.value ? { first: a, second: b } : { first: b, second: a };
}

const prevoteOf = (validatorIndex: number, value: CutId | typeof NIL = CUT) =>
  signAs(COMMITTEE, {
    kind: 'prevote',
    height: HEIGHT,
    round: round(2),
    validRound: value === NIL ? NO_ROUND : round(1),
    value,
    validatorIndex,
  } as const);
const precommitOf = (validatorIndex: number) =>
  signAs(COMMITTEE, {
    kind: 'precommit',
    height: HEIGHT,
    round: round(2),
    validRound: NO_ROUND,
    value: CUT,
    validatorIndex,
  } as const);
const PROPOSAL = signAs(COMMITTEE, {
  kind: 'proposal',
  height: HEIGHT,
  round: round(2),
  validRound: round(0),
  value: CUT,
  validatorIndex: 2,
} as const);
const COMMIT = commitCertificateOf([0, 2, 3].map(precommitOf), CUT);
const POLKA = polkaCertificateOf(
  [0, 1, 3].map((index) => prevoteOf(index)),
  CUT,
);
const SUMMARY: Summary = {
  kind: 'summary',
  height: HEIGHT,
  round: NO_ROUND,
  step: 'unstarted',
  rounds: [{ round: round(0), proposals: 1, prevotes: 5n, precommits: 0n }],
  wantedPolka: { round: round(0), value: CUT },
};

const CONFLICT: WireMessage = {
  kind: 'evidence',
  ...inOrder(prevoteOf(1), prevoteOf(1, NIL)),
};

const MESSAGES: readonly WireMessage[] = [
  PROPOSAL,
  prevoteOf(1),
  prevoteOf(1, NIL),
  precommitOf(3),
  COMMIT,
  POLKA,
  SUMMARY,
  { kind: 'polkaRequest', height: HEIGHT, round: round(1), value: CUT },
  { kind: 'precommitsRequest', height: HEIGHT, round: round(1), signers: 9n },
  { kind: 'proposalWithCut', proposal: PROPOSAL, cut: MADE },
  { kind: 'decision', certificate: COMMIT, cut: MADE },
  { kind: 'cutRequest', height: HEIGHT, value: CUT },
  { kind: 'cut', cut: MADE },
  { kind: 'blocksRequest', ids: BLOCK_IDS.map((id) => toHex(id)) },
  { kind: 'block', header: new Uint8Array(312).fill(7), body: new Uint8Array(700).fill(8) },
  {
    kind: 'voteReport',
    digests: [
      {
        height: HEIGHT,
        version: 7,
        entries: [
          { kind: 'prevote', round: round(2), validRound: round(1), value: CUT, signers: 5n },
          { kind: 'precommit', round: round(2), validRound: NO_ROUND, value: NIL, signers: 8n },
        ],
      },
    ],
    heard: [{ height: HEIGHT, version: 3 }],
  },
  { kind: 'voteReport', digests: [], heard: [] },
  CONFLICT,
];

const INPUTS: readonly Input[] = [
  { type: 'startHeight', context: contextFor(COMMITTEE, 2) },
  { type: 'startHeight', context: { ...contextFor(COMMITTEE, 2), self: undefined } },
  { type: 'timer', timer: 'start', height: HEIGHT, round: NO_ROUND, nowMs: 12n },
  { type: 'timer', timer: 'precommit', height: HEIGHT, round: round(3), nowMs: 13n },
  { type: 'proposal', proposal: PROPOSAL, cutTimeMs: 5n, receivedAtMs: 6n },
  { type: 'vote', vote: prevoteOf(1) },
  { type: 'commitCertificate', certificate: COMMIT },
  { type: 'polkaCertificate', certificate: POLKA },
  { type: 'cutBuilt', height: HEIGHT, round: round(4), value: CUT },
  { type: 'verdict', height: HEIGHT, value: CUT, verdict: 'valid' },
  { type: 'verdict', height: HEIGHT, value: CUT, verdict: 'invalid' },
  { type: 'signed', message: PROPOSAL },
  { type: 'signed', message: precommitOf(0) },
];

test('every message comes back as it was, within the length its tag allows', () => {
  for (const message of MESSAGES) {
    const bytes = encodeMessage(wire, message);
    assert.deepEqual(decodeMessage(wire, bytes), message);
    const name = message.kind === 'prevote' || message.kind === 'precommit' ? 'vote' : message.kind;
    assert.ok(bytes.length <= WIRE_BYTES_MAX[name], message.kind);
  }
  assert.equal(WIRE_BYTES_MAX.polkaCertificate, 1 + 4 + 116 + 64 * 3309);
  assert.equal(WIRE_MESSAGE_BYTES_MAX, 1 + 3 + CUT_BYTES_MAX + 116 + 64 * 3309);
  assert.equal(Math.max(...Object.values(WIRE_BYTES_MAX)), WIRE_MESSAGE_BYTES_MAX);
});

test('every input that the log keeps comes back as it was', () => {
  for (const input of INPUTS)
    assert.deepEqual(decodeInput(wire, encodeInput(wire, input)), input, input.type);
});

test('inputs that must not be logged cannot be', () => {
  const tick: Input = { type: 'antiEntropy', neighbours: [] };
  assert.throws(() => encodeInput(wire, tick), { code: 'invariant' });
});

function refusesOrKeeps(decode: (bytes: Uint8Array) => Uint8Array, bytes: Uint8Array): boolean {
  try {
    assert.deepEqual(decode(bytes), bytes);
    return true;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}

const throughMessage = (bytes: Uint8Array) => encodeMessage(wire, decodeMessage(wire, bytes));
const throughInput = (bytes: Uint8Array) => encodeInput(wire, decodeInput(wire, bytes));

test('cut short, made longer or changed anywhere: refused with a code, or another message', () => {
  // A block's body is not looked into here: shorter or longer, it is another block.
  const closed = MESSAGES.filter(({ kind }) => kind !== 'block');
  const samples = [
    ...closed.map((message) => ({
      bytes: encodeMessage(wire, message),
      through: throughMessage,
    })),
    ...INPUTS.map((input) => ({ bytes: encodeInput(wire, input), through: throughInput })),
  ];
  for (const { bytes, through } of samples) {
    assert.equal(refusesOrKeeps(through, new Uint8Array([...bytes, 0])), false, 'longer');
    const step = Math.max(1, Math.floor(bytes.length / 97));
    for (let length = 0; length < bytes.length; length += step)
      assert.equal(refusesOrKeeps(through, bytes.slice(0, length)), false, `cut to ${length}`);
    for (let at = 0; at < Math.min(bytes.length, 140); at++)
      for (const flip of [1, 0x80]) {
        const changed = bytes.slice();
        changed[at] = (changed[at] as number) ^ flip;
        refusesOrKeeps(through, changed);
      }
  }
});

test('random bytes are refused with a code, or are the one encoding of what they say', () => {
  const tagged = fc
    .tuple(fc.integer({ min: 0, max: 15 }), fc.uint8Array({ maxLength: 600 }))
    .map(([tag, bytes]) => new Uint8Array([tag, ...bytes]));
  const property = fc.property(tagged, (bytes) => {
    refusesOrKeeps(throughMessage, bytes);
    refusesOrKeeps(throughInput, bytes);
  });
  fc.assert(property, { numRuns: 2000 });
});

test('a cut with any blocks comes back as it was, alone and beside what was signed about it', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 0xffff }), { maxLength: 256 });
  const property = fc.property(ids, (numbers) => {
    const cut = makeCut(
      numbers.map((number) => new Uint8Array(48).fill(number & 0xff).fill(number >> 8, 20)),
    );
    const proposal = { ...PROPOSAL, value: cut.value };
    const certificate = { ...COMMIT, value: cut.value };
    for (const message of [
      { kind: 'cut', cut },
      { kind: 'proposalWithCut', proposal, cut },
      { kind: 'decision', certificate, cut },
    ] as const)
      assert.deepEqual(decodeMessage(wire, encodeMessage(wire, message)), message);
  });
  fc.assert(property, { numRuns: 30 });
});

test('a cut travels only with the body its header commits to and with signatures for itself', () => {
  const other = makeCut(BLOCK_IDS.slice(1));
  assert.throws(() => decodeCut(MADE.header, other.body), { code: 'bad_cut', path: 'cut.body' });
  const proposal = encodeMessage(wire, { kind: 'proposalWithCut', proposal: PROPOSAL, cut: MADE });
  const foreign = new Uint8Array([
    ...proposal.subarray(0, WIRE_BYTES_MAX.proposal),
    ...other.header,
    ...other.body,
  ]);
  assert.throws(() => decodeMessage(wire, foreign), { code: 'wrong_cut', path: 'message.cut' });
  assert.throws(() => encodeMessage(wire, { kind: 'decision', certificate: COMMIT, cut: other }), {
    code: 'wrong_cut',
  });
});

test('a request for blocks names one to eight, each once; a block has a header and a body', () => {
  const ids = Array.from({ length: BLOCKS_PER_REQUEST_MAX + 1 }, (_, index) =>
    index.toString(16).padStart(2, '0').repeat(48),
  );
  const encode = (list: readonly string[]) =>
    encodeMessage(wire, { kind: 'blocksRequest', ids: list });
  assert.equal(encode(ids.slice(1)).length, WIRE_BYTES_MAX.blocksRequest);
  assert.throws(() => encode(ids), { code: 'out_of_range' });
  assert.throws(() => encode([]), { code: 'out_of_range' });
  const bytes = encode(ids.slice(0, 2));
  bytes.set(bytes.subarray(2, 50), 50);
  assert.throws(() => decodeMessage(wire, bytes), { code: 'not_canonical' });
  const header = new Uint8Array(312);
  const block = (bodyBytes: number) =>
    encodeMessage(wire, { kind: 'block', header, body: new Uint8Array(bodyBytes) });
  assert.equal(block(64_000).length, WIRE_BYTES_MAX.block);
  assert.throws(() => block(64_001), { code: 'bad_length' });
  assert.throws(() => block(0), { code: 'bad_length' });
});

test('a summary has at most as many rounds as a window, ascending, and its longest form is known', () => {
  const entries = (count: number): RoundSummary[] =>
    Array.from({ length: count }, (_, index) => ({
      round: round(index),
      proposals: 2,
      prevotes: (1n << 64n) - 1n,
      precommits: 0n,
    }));
  const longest = { ...SUMMARY, rounds: entries(limits.SUMMARY_ROUNDS_MAX) };
  const bytes = encodeSummary(longest);
  assert.equal(bytes.length, SUMMARY_BYTES_MAX);
  assert.deepEqual(decodeSummary(bytes), longest);
  const tooMany = bytes.slice();
  tooMany[66] = limits.SUMMARY_ROUNDS_MAX + 1;
  assert.throws(() => decodeSummary(tooMany), { code: 'out_of_range', path: 'summary.rounds' });
  const [first, second] = entries(2) as [RoundSummary, RoundSummary];
  const unordered = { ...SUMMARY, rounds: [second, first] };
  assert.throws(() => encodeSummary(unordered), { code: 'not_canonical' });
  const crowded = { ...SUMMARY, rounds: [{ ...first, proposals: 3 }] };
  assert.throws(() => encodeSummary(crowded), { code: 'out_of_range' });
});

test('the verifier answers for many messages at once, and names what is wrong', () => {
  const verifier = new Verifier(CHAIN_ID);
  const vote = encodeMessage(wire, prevoteOf(1));
  assert.deepEqual(verifier.verify(vote), { holds: false, code: 'wrong_validator_set' });
  verifier.learnSet(COMMITTEE.encodedSet);
  const two = commitCertificateOf([0, 2].map(precommitOf), CUT);
  const swapped = { ...COMMIT, signatures: [...COMMIT.signatures].reverse() };
  const cut = MADE;
  const messages: readonly WireMessage[] = [
    PROPOSAL,
    COMMIT,
    POLKA,
    { kind: 'proposalWithCut', proposal: PROPOSAL, cut },
    { kind: 'decision', certificate: COMMIT, cut },
    { kind: 'decision', certificate: two, cut },
    swapped,
    SUMMARY,
  ];
  const batch = messages.map((message) => encodeMessage(wire, message));
  assert.deepEqual(verifier.verifyBatch([vote, ...batch, vote.slice(1)]), [
    { holds: true },
    { holds: true },
    { holds: true },
    { holds: true },
    { holds: true },
    { holds: true },
    { holds: false, code: 'insufficient_stake' },
    { holds: false, code: 'bad_signature' },
    { holds: false, code: 'bad_cut' },
    { holds: false, code: 'bad_length' },
  ]);
});

test('the verifier knows the sets learnt last, and forgets the oldest', () => {
  const verifier = new Verifier(CHAIN_ID);
  verifier.learnSet(COMMITTEE.encodedSet);
  const bytes = encodeMessage(wire, prevoteOf(1));
  const others = [1n, 2n, 3n].map((stake) => makeCommittee('another', [stake]).encodedSet);
  for (const encoded of others) verifier.learnSet(encoded);
  assert.deepEqual(verifier.verify(bytes), { holds: true });
  verifier.learnSet(makeCommittee('another', [4n]).encodedSet);
  assert.deepEqual(verifier.verify(bytes), { holds: false, code: 'wrong_validator_set' });
});

test('a height beyond the safe integers and an unknown height are refused, not rounded', () => {
  const bytes = encodeMessage(wire, prevoteOf(1));
  new DataView(bytes.buffer).setBigUint64(2, 1n << 53n, true);
  assert.throws(() => decodeMessage(wire, bytes), { code: 'out_of_range', path: 'message.height' });
  const unaware = { ...wire, setIdAt: () => undefined };
  const known = encodeMessage(wire, { ...prevoteOf(1), height: height(8) });
  assert.throws(() => decodeMessage(unaware, known), { code: 'wrong_validator_set' });
});
