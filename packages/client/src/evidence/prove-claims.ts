/**
 * Asks a node for what proves claims, and checks it. One head is certified for all of them: paths lead from it to every
 * other cut, so that a file of any number of claims holds one certificate and one validator set.
 */
import { toHex } from 'svc-wasm';
import { RETRY_POLICY, routeCalls, TIMEOUT_MILLIS } from '../client.ts';
import { type Exchange, exchange } from '../http/exchange.ts';
import { nonceHeaders, SIGNED_HEADERS } from '../http/signed-answers.ts';
import { Transport } from '../http/transport.ts';
import type { RouteCalls } from '../routes/route-types.ts';
import {
  basisOf,
  checkClaim,
  type EarlierCuts,
  heightsOf,
  isCurrent,
  kindOf,
  overall,
  provenChain,
  type SignedHead,
  signatureDetail,
  sizeDetail,
  stepTaker,
  type TakeStep,
} from './check-claims.ts';
import type { Claim, ClaimResult, Evidence, Line, Report, Step, TrustDocument } from './claims.ts';
import { readAnswer } from './proofs/answer.ts';
import type { AskSigned, Head, ProvenChain, ReadContext, ReadProof } from './proofs/kind.ts';
import { renewTrust, Trust } from './trust.ts';
import { Contradiction, resultOfError } from './verdicts.ts';

/** The node, the clocks and the observer of a proof. */
export interface ProofPorts {
  /** The origin of the node's URL. */
  readonly origin: string;
  readonly now: () => number;
  readonly clock: () => number;
  readonly onStep: (step: Step) => void;
}

/** The most characters of an evidence file, its certificate and its validator set not counted. */
export const EVIDENCE_OWN_CHARACTERS_MAX = 65_536;
const RETRIES = 1;

/** Proves one claim, as `proveClaims` does. */
export function proveClaim(
  claim: Claim,
  known: TrustDocument | undefined,
  ports: ProofPorts,
): Promise<Report> {
  return proveClaims([claim], known, ports);
}

/**
 * Asks the node for what proves claims and checks it; `known` is the trust of an earlier report. All claims rest on one head:
 * the evidence of the report holds its certificate and validator set once.
 */
export async function proveClaims(
  claims: readonly Claim[],
  known: TrustDocument | undefined,
  ports: ProofPorts,
): Promise<Report> {
  const report = await proveOnce(claims, known, ports);
  if (known?.network !== 'development' || !isTrustExpired(report)) return report;
  // Trust lasts for minutes on a development network, whose keys are public: a reader who comes back later pins again.
  const anew = await proveOnce(claims, undefined, ports);
  if (anew.trust === undefined) return report;
  try {
    const { client } = nodeAt(ports);
    const trust = await renewTrust(client, known, anew.trust, ports.now);
    return { ...anew, trust };
  } catch {
    return report;
  }
}

function isTrustExpired({ result }: Report): boolean {
  return result.verdict === 'unproven' && result.isTrustExpired === true;
}

interface Node {
  readonly client: RouteCalls;
  readonly askSigned: AskSigned;
  /** How much of answers was read. */
  readonly read: { bytes: number };
}

/** The node at an address, whose answers are counted. */
export function nodeAt({ origin }: Pick<ProofPorts, 'origin'>): Node {
  const read = { bytes: 0 };
  const counted: Exchange = async (...given) => {
    const answer = await exchange((...sent) => fetch(...sent), ...given);
    read.bytes += answer.body.length;
    return answer;
  };
  const transport = new Transport({
    url: origin,
    identity: undefined,
    chainId: undefined,
    exchange: counted,
    timeoutMillis: TIMEOUT_MILLIS,
    policy: { ...RETRY_POLICY, retries: RETRIES },
    check: undefined,
  });
  const askSigned: AskSigned = async (target) => {
    const sent = nonceHeaders();
    const response = await fetch(new URL(target, origin), { headers: sent });
    const body = await response.text();
    read.bytes += body.length;
    const names = Object.values(SIGNED_HEADERS);
    const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
    return { status: response.status, headers, body, nonce: sent[SIGNED_HEADERS.nonce] as string };
  };
  return { client: routeCalls(transport), askSigned, read };
}

/** A claim whose proof was read, or why it was not. */
interface ReadClaim {
  readonly claim: Claim;
  readonly proof: ReadProof<unknown> | undefined;
  readonly error: unknown;
}

async function proveOnce(
  claims: readonly Claim[],
  known: TrustDocument | undefined,
  ports: ProofPorts,
): Promise<Report> {
  const node = nodeAt(ports);
  const trust = new Trust(node.client, known, ports.now);
  const steps: Step[] = [];
  const step = stepTaker(
    (taken) => {
      steps.push(taken);
      ports.onStep(taken);
    },
    ports.clock,
    node.read,
  );
  try {
    const head = await step('The node names its head', async () => {
      const found = await trust.head();
      return [found, `cut ${found.cut.height} of chain ${found.chain_id.slice(0, 12)}…`];
    });
    const context = { ...node, head };
    const proofs: ReadClaim[] = [];
    for (const claim of claims) proofs.push(await readClaim(context, trust, claim, step));
    const certified = await certifyFor(proofs, trust, head, step);
    const results: ClaimResult[] = [];
    for (const each of proofs) results.push(await proveRead(each, certified?.chain, step));
    const evidence = evidenceOf(proofs, results, certified, ports.now());
    const { document } = trust;
    const basis = certified === undefined ? [] : certified.basis;
    return { result: overall(results), claims: results, basis, steps, trust: document, evidence };
  } catch (error) {
    const result = resultOfError(error);
    const results = claims.map((claim) => ({ claim, result }));
    return {
      result,
      claims: results,
      basis: [],
      steps,
      trust: trust.document,
      evidence: undefined,
    };
  }
}

async function readClaim(
  context: ReadContext,
  trust: Trust,
  claim: Claim,
  step: TakeStep,
): Promise<ReadClaim> {
  try {
    const proof = await step(`The node gives its proof: ${claim.kind}`, async () => {
      const found =
        claim.kind === 'answer'
          ? { height: null, parts: await readAnswer(context, claim) }
          : await kindOf(claim).read(context, claim);
      const { height } = found;
      if (height !== null && isCurrent(claim) && height < (trust.document?.height ?? 0)) {
        throw new Contradiction(
          `the proof is of cut ${height}, before what this reader has certified`,
        );
      }
      return [found, height === null ? 'of the head' : `of cut ${height}`];
    });
    return { claim, proof, error: undefined };
  } catch (error) {
    return { claim, proof: undefined, error };
  }
}

interface Certified {
  readonly head: SignedHead;
  readonly certificate: Uint8Array;
  readonly encodedSet: Uint8Array;
  readonly earlier: EarlierCuts | undefined;
  readonly chain: ProvenChain;
  readonly basis: readonly Line[];
}

/** Certifies the highest cut that the proofs are about, or the head, by signatures, and all others by the path from it. */
async function certifyFor(
  proofs: readonly ReadClaim[],
  trust: Trust,
  head: Head,
  step: TakeStep,
): Promise<Certified | undefined> {
  const given = proofs.flatMap(({ claim, proof }) =>
    proof === undefined || claim.kind === 'answer' ? [] : [{ claim, height: proof.height }],
  );
  if (given.length === 0) return undefined;
  const heights = [...new Set(given.flatMap(heightsOf))].sort((a, b) => a - b);
  const top = Math.max(head.cut.height, ...heights);
  const signed = await step(`Signatures of cut ${top}`, async () => {
    const found = await trust.certify(head, top);
    const from = found.isFirst
      ? `cut ${trust.document?.pinnedHeight} is pinned now, on the node’s word`
      : `the set follows from cut ${trust.document?.pinnedHeight}`;
    return [found, `${signatureDetail(found.cut)}; ${from}`];
  });
  const { network } = head;
  const { cut, header, set, certificate, encodedSet } = signed;
  const own = { network, cut, header, set };
  const before = heights.filter((height) => height !== top);
  const earlier =
    before.length === 0
      ? undefined
      : await step(`Path from cut ${top} to ${before.length} before it`, async () => {
          const found = await trust.earlier(before);
          return [found, `${found.path.length} bytes of hashes lead to ${listed(before)}`];
        });
  const chain = provenChain(own, earlier);
  const basis = [...basisOf(own, earlier), trust.line(signed.isFirst)];
  return { head: own, certificate, encodedSet, earlier, chain, basis };
}

function listed(heights: readonly number[]): string {
  const [first, last] = [heights[0], heights.at(-1)];
  return first === last ? `cut ${first}` : `cuts ${first} to ${last}`;
}

async function proveRead(
  { claim, proof, error }: ReadClaim,
  chain: ProvenChain | undefined,
  step: TakeStep,
): Promise<ClaimResult> {
  if (proof === undefined) return { claim, result: resultOfError(error) };
  try {
    const { result, proven } = await step(`The proof holds: ${claim.kind}`, () => {
      const found = checkClaim({ claim, height: proof.height, parts: proof.parts }, chain);
      return [found, sizeDetail(proof.parts)];
    });
    if (proof.compare !== undefined && chain !== undefined) {
      await step('What the node shows is what was proven', async () => [
        undefined,
        (await proof.compare?.(proven.value, chain)) ?? '',
      ]);
    }
    return { claim, result };
  } catch (found) {
    return { claim, result: resultOfError(found) };
  }
}

/** The file, if every claim holds and it is small enough. */
function evidenceOf(
  proofs: readonly ReadClaim[],
  results: readonly ClaimResult[],
  certified: Certified | undefined,
  atMillis: number,
): Evidence | undefined {
  const isProven = results.every(({ result: { verdict } }) => /^(?:checked|signed)$/.test(verdict));
  if (!isProven) return undefined;
  const evidence: Evidence = {
    format: 'svc-evidence-v1',
    atMillis,
    head: certified === undefined ? null : headOf(certified),
    history: certified?.earlier === undefined ? null : historyOf(certified.earlier),
    claims: proofs.map(({ claim, proof }) => ({
      claim,
      height: proof?.height ?? null,
      parts: proof?.parts ?? {},
    })),
  };
  return ownCharacters(evidence) <= EVIDENCE_OWN_CHARACTERS_MAX ? evidence : undefined;
}

function headOf({ head, certificate, encodedSet }: Certified): NonNullable<Evidence['head']> {
  return {
    network: head.network,
    chainId: head.cut.chainId,
    header: toHex(head.header),
    certificate: toHex(certificate),
    validatorSet: toHex(encodedSet),
  };
}

function historyOf({ headers, path }: EarlierCuts): NonNullable<Evidence['history']> {
  return { headers: headers.map((header) => toHex(header)), path: toHex(path) };
}

/** The characters of an evidence file without its certificate and its validator set. */
export function ownCharacters(evidence: Evidence): number {
  const { head } = evidence;
  const own = head === null ? null : { ...head, certificate: '', validatorSet: '' };
  return JSON.stringify({ ...evidence, head: own }).length;
}
