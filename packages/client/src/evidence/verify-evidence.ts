/**
 * Verifies an evidence file without a node: reads it as untrusted input, checks its proofs, and says what they
 * rest on. A reader with a checkpoint of their own learns whether the validators of the file follow from it.
 */
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { advanceValidatorSet, type CertifiedCut, certifyCut, fromHex, SvcError } from 'svc-wasm';
import { NETWORKS, toHex, trustingPeriodMillis } from 'svc-wasm/base';
import {
  type ChainRecovery,
  decodeCutHeader,
  decodeValidatorSet,
  parseRecovery,
  trustedSetJson,
  trustOfRecovery,
} from 'svc-wasm/protocol';
import { readTrustedSet } from '../trusted-sets.ts';
import {
  basisOf,
  checkClaim,
  type EarlierCuts,
  heightsOf,
  overall,
  provenChain,
  type SignedHead,
  signatureDetail,
  sizeDetail,
  stepTaker,
} from './check-claims.ts';
import {
  type ClaimProof,
  type ClaimResult,
  type Evidence,
  type EvidenceHead,
  type EvidenceHistory,
  isBounded,
  isClaim,
  type Line,
  type ProofResult,
  type Step,
  type TrustDocument,
} from './claims.ts';
import { EVIDENCE_OWN_CHARACTERS_MAX, ownCharacters } from './prove-claims.ts';
import { resultOfError, Unprovable } from './verdicts.ts';

/** The longest evidence file that is read: a certificate and a validator set of 64 members, and 64 KB of claims. */
export const EVIDENCE_CHARACTERS_MAX: number = 1 << 20;
/** As many as the earlier cuts that a file can name. */
const CLAIMS_MAX = 64;

/** What the reader trusts already. */
export interface VerifyEvidenceOptions {
  /** A checkpoint as the page saves it, or as `svc-client/evidence` reports it, or a recovery file. */
  readonly checkpoint?: string;
  /** Unix milliseconds, for the trusting period of the checkpoint; the clock of the machine unless given. */
  readonly now?: () => number;
}

/** The cut that everything in a file rests on. */
export interface EvidenceBase {
  readonly height: number;
  readonly cutId: string;
  readonly stateRoot: string;
  readonly chainId: string;
}

/** What a file proves, and what the proofs rest on. */
export interface VerifiedEvidence {
  /** The first claim that does not hold, or the first of all. */
  readonly result: ProofResult;
  /** Empty if the file cannot be read. */
  readonly claims: readonly ClaimResult[];
  /** What the cuts rest on that the claims are about. */
  readonly basis: readonly Line[];
  readonly steps: readonly Step[];
  /** When the file says that it was made, in Unix milliseconds; undefined if it cannot be read. */
  readonly atMillis: number | undefined;
  /** The cut whose signatures everything rests on; undefined for signed answers. */
  readonly restsOn: EvidenceBase | undefined;
  /** Whether the validators of that cut follow from the reader's own checkpoint; undefined without one. */
  readonly isOwnTrust: boolean | undefined;
}

/** Checks an evidence file without a node. Needs the module of `svc-wasm` to be loaded. Never throws for what is in the file. */
export async function verifyEvidence(
  text: string,
  options: VerifyEvidenceOptions = {},
): Promise<VerifiedEvidence> {
  const steps: Step[] = [];
  const step = stepTaker(
    (taken) => steps.push(taken),
    () => performance.now(),
  );
  const failed = (error: unknown): VerifiedEvidence => ({
    ...NOTHING_VERIFIED,
    result: resultOfError(error),
    steps,
  });
  try {
    const evidence = parseEvidence(text);
    const own = options.checkpoint === undefined ? undefined : parseCheckpoint(options.checkpoint);
    const { atMillis, head: given, history } = evidence;
    const head =
      given === null ? undefined : await step('Signatures of the head', () => signed(given));
    const earlier = history === null ? undefined : earlierOf(history);
    const chain =
      head === undefined
        ? undefined
        : await step('Path to earlier cuts', () => [
            provenChain(head, earlier),
            `${earlier?.headers.length ?? 0} earlier cuts`,
          ]);
    if (earlier !== undefined) expectNeeded(earlier, evidence.claims);
    const proven: ClaimResult[] = [];
    for (const proof of evidence.claims) {
      const { claim } = proof;
      const result = await step(`The proof holds: ${claim.kind}`, () => [
        checkClaim(proof, chain).result,
        sizeDetail(proof.parts),
      ]).catch(resultOfError);
      proven.push({ claim, result });
    }
    if (given === null || head === undefined)
      return { ...NOTHING_VERIFIED, result: overall(proven), claims: proven, steps, atMillis };
    const { height, cutId, stateRoot, chainId } = head.cut;
    const restsOn = { height: Number(height), cutId, stateRoot, chainId };
    const foreign = own === undefined ? undefined : foreignTrust(own, given, head, options.now);
    const claims = foreign === undefined ? proven : proven.map((each) => doubted(each, foreign));
    const isOwnTrust = own === undefined ? undefined : foreign === undefined;
    const basis = [...basisOf(head, earlier), trustLine(head, own, foreign)];
    return { result: overall(claims), claims, basis, steps, atMillis, restsOn, isOwnTrust };
  } catch (error) {
    return failed(error);
  }
}

const NOTHING_VERIFIED = {
  claims: [],
  basis: [],
  atMillis: undefined,
  restsOn: undefined,
  isOwnTrust: undefined,
} as const;

/** The head of a file, which its own validator set has to have signed. */
function signed({
  network,
  chainId,
  header,
  certificate,
  validatorSet,
}: EvidenceHead): readonly [SignedHead, string] {
  const [bytes, encodedSet] = [fromHex(header), fromHex(validatorSet)];
  const cut = certifyCut(bytes, fromHex(certificate), encodedSet, fromHex(chainId));
  const set = decodeValidatorSet(encodedSet);
  return [{ network, cut, header: bytes, set }, signatureDetail(cut)];
}

function earlierOf({ headers, path }: EvidenceHistory): EarlierCuts {
  return { headers: headers.map((header) => fromHex(header)), path: fromHex(path) };
}

/** A header that no claim is about would only be a claim that is not shown. */
function expectNeeded({ headers }: EarlierCuts, claims: readonly ClaimProof[]): void {
  const needed = new Set(claims.flatMap(heightsOf));
  const isNeeded = headers.every((header) => needed.has(Number(decodeCutHeader(header).height)));
  if (!isNeeded || headers.length === 0)
    throw new Unprovable('the history has cuts that no claim is about');
}

/** Why the head does not follow from the reader's own checkpoint; undefined if it does. */
function foreignTrust(
  own: TrustDocument,
  { header, certificate, validatorSet }: EvidenceHead,
  { cut, network }: SignedHead,
  now: () => number = () => SYSTEM_CLOCK.now(),
): ProofResult | undefined {
  const height = Number(cut.height);
  if (own.chainId !== cut.chainId) {
    const reason = `it is of chain ${cut.chainId.slice(0, 12)}…, the checkpoint of ${own.chainId.slice(0, 12)}…`;
    return { verdict: 'wrong', reason };
  }
  if (own.network !== network)
    return { verdict: 'wrong', reason: `it is of ${network}, the checkpoint of ${own.network}` };
  const known = [own, { height: own.pinnedHeight, cutId: own.pinnedCutId }].find(
    (each) => each.height === height,
  );
  if (known?.cutId === cut.cutId) return undefined;
  if (known !== undefined)
    return { verdict: 'wrong', reason: `the checkpoint has another cut ${height}: ${known.cutId}` };
  // The operator of a development network sets its clock.
  const clock = network === 'development' ? Number(cut.time) : now();
  try {
    expectFollowing(own, { header, certificate, validatorSet }, cut, clock);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const reason = `it rests on cut ${height}, whose validators do not follow from cut ${own.height} of the checkpoint: ${why}`;
    const isExpired = error instanceof SvcError && error.code === 'trust_expired';
    return { verdict: 'unproven', reason, ...(isExpired ? { isTrustExpired: true } : {}) };
  }
}

/** Throws unless the set of the checkpoint signed the cut, or trust moves on to it as in `docs/protocol.md` 8.5. */
function expectFollowing(
  own: TrustDocument,
  head: Pick<EvidenceHead, 'header' | 'certificate' | 'validatorSet'>,
  cut: CertifiedCut,
  now: number,
): void {
  const { set, time, network } = readTrustedSet(own.trusted);
  if (cut.height > BigInt(own.height) && toHex(set.id) !== cut.validatorSetId) {
    const [header, certificate] = [fromHex(head.header), fromHex(head.certificate)];
    advanceValidatorSet(own.trusted, header, certificate, fromHex(head.validatorSet), String(now));
    return;
  }
  const end = time + trustingPeriodMillis(network);
  if (BigInt(now) >= end)
    throw new SvcError('trust_expired', `the trusting period ended at ${end}`);
  if (toHex(set.id) !== cut.validatorSetId)
    throw new SvcError('not_trusted', 'it was signed by an earlier set; a node can show the path');
}

function doubted({ claim, result }: ClaimResult, foreign: ProofResult): ClaimResult {
  return { claim, result: result.verdict === 'checked' ? foreign : result };
}

function trustLine(
  { cut: { chainId, cutId, height }, network }: SignedHead,
  own: TrustDocument | undefined,
  foreign: ProofResult | undefined,
): Line {
  if (own === undefined) {
    return {
      says: `Whether these are the validators of the chain you mean, ${chainId} on ${network}, the file does not show.`,
      restsOn: `you: compare the id of cut ${height}, ${cutId}, with a node that you trust or with your own checkpoint`,
    };
  }
  if (foreign === undefined) {
    return {
      says: `These validators follow from cut ${own.height} of your checkpoint.`,
      restsOn: `your checkpoint, which names the cut ${own.cutId} and its validators`,
    };
  }
  return {
    says: `That these validators follow from cut ${own.height} of your checkpoint is not shown.`,
    restsOn:
      'nothing: a checkpoint of a newer cut, or a node that shows a path to this one, is needed',
  };
}

type Json = Readonly<Record<string, unknown>>;

/** Reads an evidence file. Throws what is wrong with it. */
export function parseEvidence(text: string): Evidence {
  const file = parseObject(text, 'evidence');
  expectThat(file['format'] === 'svc-evidence-v1', 'the file is no evidence of a known version');
  const { atMillis, head, history, claims } = file;
  expectThat(Number.isSafeInteger(atMillis), 'the file has no time');
  expectThat(head === null || isHead(head), 'the head in the file cannot be read');
  expectThat(history === null || isHistory(history), 'the history in the file cannot be read');
  const isList = Array.isArray(claims) && claims.length > 0 && claims.length <= CLAIMS_MAX;
  expectThat(isList, 'the file has no claims');
  expectThat((claims as unknown[]).every(isProof), 'the file claims what cannot be proven');
  const evidence = file as unknown as Evidence;
  const most = EVIDENCE_OWN_CHARACTERS_MAX;
  expectThat(ownCharacters(evidence) <= most, `the claims have more than ${most} characters`);
  return evidence;
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
    ['network', 'chainId', 'cutId', 'pinnedCutId'].every((name) => isText(value[name])) &&
    (value['earliest'] === undefined || isPlace(value['earliest']));
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

function isPlace(value: unknown): boolean {
  return isObject(value) && Number.isSafeInteger(value['height']) && isText(value['cutId']);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && isBounded(value);
}

const HEAD_TEXTS = ['chainId', 'header', 'certificate', 'validatorSet'];

function isHead(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.hasOwn(NETWORKS, String(value['network'])) &&
    HEAD_TEXTS.every((name) => typeof value[name] === 'string')
  );
}

function isHistory(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value['path'] === 'string' &&
    Array.isArray(value['headers']) &&
    value['headers'].every((header) => typeof header === 'string')
  );
}

function isProof(value: unknown): value is ClaimProof {
  return (
    isObject(value) &&
    isClaim(value['claim']) &&
    (value['height'] === null || isBounded(value['height'])) &&
    isObject(value['parts']) &&
    Object.values(value['parts']).every((part) => typeof part === 'string')
  );
}
