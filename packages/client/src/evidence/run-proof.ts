/**
 * One proof from its claim to its report, against a node or against a file.
 */
import { RETRY_POLICY, routeCalls, TIMEOUT_MILLIS } from '../client.ts';
import { Transport } from '../http/transport.ts';
import { checkClaim } from './check-claim.ts';
import type { Claim, Evidence, Report, Step, TrustDocument } from './claims.ts';
import { type AnswerSource, Playback, Recorder } from './recorder.ts';
import { Trust } from './trust.ts';

/** The node, the clocks and the observer of a proof. */
export interface ProofPorts {
  /** Where the node is; a file names none, and any address will do. */
  readonly origin: string;
  readonly now: () => number;
  readonly clock: () => number;
  readonly onStep: (step: Step) => void;
}

const RETRIES = 1;

/** Asks the node for what proves a claim and checks it; `known` is the trust of an earlier report. */
export async function proveClaim(
  claim: Claim,
  known: TrustDocument | undefined,
  ports: ProofPorts,
): Promise<Report> {
  const report = await proveOnce(claim, known, ports);
  if (known?.network !== 'development' || !isTrustExpired(report)) return report;
  // Trust lasts for minutes on a development network, whose keys are public: a later reader pins anew.
  const anew = await proveOnce(claim, undefined, ports);
  return isSuccessor(anew.trust, known) ? anew : report;
}

function isTrustExpired({ result }: Report): boolean {
  return result.verdict === 'unproven' && result.isTrustExpired === true;
}

/** Another chain, and a reverted chain, are not what the reader has pinned. */
function isSuccessor(found: TrustDocument | undefined, known: TrustDocument): boolean {
  return found?.chainId === known.chainId && found.height >= known.height;
}

async function proveOnce(
  claim: Claim,
  known: TrustDocument | undefined,
  ports: ProofPorts,
): Promise<Report> {
  const recorder = new Recorder(ports.origin);
  const report = await proofWith(claim, known, ports, recorder);
  const trust = known ?? report.trust;
  const isProven = report.result.verdict === 'checked' && trust !== undefined;
  if (!isProven && report.result.verdict !== 'signed') return report;
  const evidence: Evidence = {
    format: 'svc-evidence-v1',
    atMillis: ports.now(),
    claim,
    trust: trust ?? null,
    answers: recorder.answers,
  };
  return { ...report, evidence };
}

/** Makes a proof again from what was recorded; nothing is asked for. */
export function replayEvidence(evidence: Evidence, ports: ProofPorts): Promise<Report> {
  const { claim, trust, answers, atMillis } = evidence;
  const frozen = { ...ports, now: () => atMillis };
  return proofWith(claim, trust ?? undefined, frozen, new Playback(answers));
}

async function proofWith(
  claim: Claim,
  known: TrustDocument | undefined,
  { origin, now, clock, onStep }: ProofPorts,
  source: AnswerSource,
): Promise<Report> {
  const transport = new Transport({
    url: origin,
    identity: undefined,
    chainId: undefined,
    exchange: source.exchange,
    timeoutMillis: TIMEOUT_MILLIS,
    policy: { ...RETRY_POLICY, retries: RETRIES },
    check: undefined,
  });
  const client = routeCalls(transport);
  const trust = new Trust(client, known, now);
  const steps: Step[] = [];
  const result = await checkClaim(claim, {
    client,
    trust,
    askSigned: source.askSigned,
    read: source,
    clock,
    onStep: (step) => {
      steps.push(step);
      onStep(step);
    },
  });
  return { result, steps, trust: trust.document, evidence: undefined };
}
