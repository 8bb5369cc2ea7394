/**
 * Verifies an evidence file without a node: reads it as if a stranger had written it, makes its proof again, and says what
 * the proof rests on. A reader with a checkpoint of their own learns whether the file rests on the same validators.
 */
import { toHex } from 'svc-wasm/base';
import {
  type ChainRecovery,
  parseRecovery,
  trustedSetJson,
  trustOfRecovery,
} from 'svc-wasm/protocol';
import { readTrustedSet } from '../trusted-sets.ts';
import type {
  Claim,
  Evidence,
  ProofResult,
  RecordedAnswer,
  Step,
  TrustDocument,
} from './claims.ts';
import { ANSWERS_MAX } from './recorder.ts';
import { replayEvidence } from './run-proof.ts';
import { resultOfError, Unprovable } from './verdicts.ts';

/** The longest evidence file that is read: a full cut's outcomes and 64 signatures fit many times. */
export const EVIDENCE_CHARACTERS_MAX: number = 16 << 20;
const TEXT_CHARACTERS_MAX = 256;

/** What the reader trusts already. */
export interface VerifyEvidenceOptions {
  /** A checkpoint as the page saves it, or as `svc-client/evidence` reports it, or a recovery file. */
  readonly checkpoint?: string;
}

/** What a file proves, and what the proof rests on. */
export interface VerifiedEvidence {
  readonly result: ProofResult;
  readonly steps: readonly Step[];
  /** Undefined if the file cannot be read. */
  readonly claim: Claim | undefined;
  /** When the file says that it was made, in Unix milliseconds; undefined if it cannot be read. */
  readonly atMillis: number | undefined;
  /** The cut whose validators everything rests on; undefined for a signed answer. */
  readonly restsOn:
    | { readonly height: number; readonly cutId: string; readonly chainId: string }
    | undefined;
  /** Whether the reader's own checkpoint names the same chain and the same validators; undefined without one. */
  readonly isOwnTrust: boolean | undefined;
}

/** Checks an evidence file without a node. Needs the module of `svc-wasm` to be loaded. Never throws for what is in the file. */
export async function verifyEvidence(
  text: string,
  { checkpoint }: VerifyEvidenceOptions = {},
): Promise<VerifiedEvidence> {
  try {
    const evidence = parseEvidence(text);
    const own = checkpoint === undefined ? undefined : parseCheckpoint(checkpoint);
    const { claim, trust, atMillis } = evidence;
    const report = await replayEvidence(evidence, {
      origin: 'http://evidence.invalid',
      now: () => atMillis,
      clock: () => performance.now(),
      onStep: () => {},
    });
    const isOwnTrust = own === undefined || trust === null ? undefined : isSameTrust(own, trust);
    const result =
      isOwnTrust === false && report.result.verdict === 'checked'
        ? foreignTrust(own as TrustDocument, trust as TrustDocument)
        : report.result;
    const restsOn =
      trust === null
        ? undefined
        : { height: trust.height, cutId: trust.cutId, chainId: trust.chainId };
    return { result, steps: report.steps, claim, atMillis, restsOn, isOwnTrust };
  } catch (error) {
    return {
      result: resultOfError(error),
      steps: [],
      claim: undefined,
      atMillis: undefined,
      restsOn: undefined,
      isOwnTrust: undefined,
    };
  }
}

function foreignTrust(own: TrustDocument, trust: TrustDocument): ProofResult {
  const reason =
    own.chainId === trust.chainId
      ? `it rests on cut ${trust.height}, whose validators are not those of the checkpoint`
      : `it is of chain ${trust.chainId.slice(0, 12)}…, the checkpoint of ${own.chainId.slice(0, 12)}…`;
  return { verdict: own.chainId === trust.chainId ? 'unproven' : 'wrong', reason };
}

function isSameTrust(own: TrustDocument, trust: TrustDocument): boolean {
  const setOf = ({ trusted }: TrustDocument) => toHex(readTrustedSet(trusted).set.id);
  return own.chainId === trust.chainId && setOf(own) === setOf(trust);
}

type Json = Readonly<Record<string, unknown>>;

/** Reads an evidence file. Throws what is wrong with it. */
export function parseEvidence(text: string): Evidence {
  const file = parseObject(text, 'evidence');
  expectThat(file['format'] === 'svc-evidence-v1', 'the file is no evidence of a known version');
  const { answers, claim, trust, atMillis } = file;
  expectThat(Number.isSafeInteger(atMillis), 'the file has no time');
  expectThat(Array.isArray(answers) && answers.length <= ANSWERS_MAX, 'the file has no answers');
  expectThat((answers as unknown[]).every(isAnswer), 'an answer in the file cannot be read');
  expectThat(isClaim(claim), 'the file claims nothing that can be proven');
  const isIdentityClaim = (claim as Claim).kind === 'answer';
  if (!isIdentityClaim) expectTrust(trust);
  return {
    ...(file as unknown as Evidence),
    trust: isIdentityClaim ? null : (trust as TrustDocument),
  };
}

/**
 * Reads a checkpoint, as the page saves it. A recovery file is one too: a reader that follows it trusts its cut and
 * the validators that it names. Throws what is wrong with it.
 */
export function parseCheckpoint(text: string): TrustDocument {
  const document = parseObject(text, 'checkpoint');
  if ('recovery_version' in document) return trustIn(parseRecovery(text));
  expectTrust(document);
  return document as unknown as TrustDocument;
}

function trustIn(recovery: ChainRecovery): TrustDocument {
  const { network, chainId, height, cutId, timeMillis } = recovery;
  return {
    format: 'svc-trust-v1',
    network,
    chainId,
    pinnedHeight: height,
    pinnedCutId: cutId,
    pinnedAtMillis: timeMillis,
    height,
    cutId,
    trusted: trustedSetJson(trustOfRecovery(recovery)),
  };
}

function parseObject(text: string, name: string): Json {
  expectThat(text.length <= EVIDENCE_CHARACTERS_MAX, `the ${name} is too long`);
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Unprovable(`the ${name} is not JSON`);
  }
  expectThat(isObject(found), `the ${name} is not an object`);
  return found as Json;
}

function expectThat(holds: boolean, reason: string): void {
  if (!holds) throw new Unprovable(reason);
}

/** Fields of a trusted set that are written twice must agree, or a reader would compare the wrong cut. */
function expectTrust(value: unknown): void {
  const isTrust =
    isObject(value) &&
    value['format'] === 'svc-trust-v1' &&
    typeof value['trusted'] === 'string' &&
    ['height', 'pinnedHeight', 'pinnedAtMillis'].every((name) =>
      Number.isSafeInteger(value[name]),
    ) &&
    ['network', 'chainId', 'cutId', 'pinnedCutId'].every((name) => isText(value[name]));
  expectThat(isTrust, 'the checkpoint cannot be read');
  const { trusted, ...said } = value as TrustDocument;
  const set = readTrustedSet(trusted);
  expectThat(
    said.chainId === toHex(set.chainId) &&
      said.cutId === toHex(set.cutId) &&
      said.network === set.network &&
      said.height === Number(set.height),
    'the checkpoint names another cut than the one it holds',
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= TEXT_CHARACTERS_MAX;
}

function isAnswer(value: unknown): value is RecordedAnswer {
  return (
    isObject(value) &&
    isText(value['method']) &&
    isText(value['target']) &&
    (value['body'] === null || typeof value['body'] === 'string') &&
    Number.isSafeInteger(value['status']) &&
    Number(value['status']) >= 200 &&
    Number(value['status']) <= 599 &&
    typeof value['answer'] === 'string' &&
    (value['headers'] === undefined || isObject(value['headers']))
  );
}

/** Fields of each kind of claim, by the type that `typeof` names. */
const CLAIM_FIELDS: Readonly<Record<Claim['kind'], Readonly<Record<string, string>>>> = {
  head: {},
  validators: {},
  supply: {},
  cut: { height: 'number', cutId: 'string', stateRoot: 'string' },
  balance: { address: 'string' },
  output: { transactionId: 'string', outputIndex: 'number' },
  transaction: { id: 'string' },
  payment: { transactionId: 'string', to: 'string', amount: 'string' },
  answer: { target: 'string' },
};

function isClaim(value: unknown): value is Claim {
  if (!isObject(value)) return false;
  const kind = String(value['kind']);
  if (!Object.hasOwn(CLAIM_FIELDS, kind)) return false;
  const fields = Object.entries(CLAIM_FIELDS[kind as Claim['kind']]);
  return fields.every(([name, type]) => typeof value[name] === type && isBounded(value[name]));
}

function isBounded(value: unknown): boolean {
  return typeof value === 'number' ? Number.isSafeInteger(value) && value >= 0 : isText(value);
}
