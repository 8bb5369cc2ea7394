/**
 * One proof from its claim to its report, against a node or against a file.
 */
import { createClient } from 'svc-client';
import { checkClaim } from './check-claim.ts';
import type { Claim, Evidence, Report, Step, TrustDocument } from './claims.ts';
import { playBack, Recorder } from './recorder.ts';
import { Trust } from './trust.ts';

export interface ProofPorts {
  /** Where the node is; a file names none, and any address will do. */
  readonly origin: string;
  readonly now: () => number;
  readonly clock: () => number;
  readonly onStep: (step: Step) => void;
}

const RETRIES = 1;

export async function proveClaim(
  claim: Claim,
  known: TrustDocument | undefined,
  ports: ProofPorts,
): Promise<Report> {
  const recorder = new Recorder();
  const report = await proofWith(claim, known, ports, recorder.fetch, recorder);
  const { trust } = report;
  if (report.result.verdict !== 'checked' || trust === undefined) return report;
  const evidence: Evidence = {
    format: 'svc-evidence-v1',
    atMillis: ports.now(),
    claim,
    trust: known ?? trust,
    answers: recorder.answers,
  };
  return { ...report, evidence };
}

/** Makes a proof again from what was recorded; nothing is asked for. */
export function replayEvidence(evidence: Evidence, ports: ProofPorts): Promise<Report> {
  const { claim, trust, answers, atMillis } = evidence;
  const counted = { bytes: 0 };
  const frozen = { ...ports, now: () => atMillis };
  return proofWith(claim, trust, frozen, playBack(answers, counted), counted);
}

async function proofWith(
  claim: Claim,
  known: TrustDocument | undefined,
  { origin, now, clock, onStep }: ProofPorts,
  fetchLike: typeof fetch,
  read: { readonly bytes: number },
): Promise<Report> {
  const client = createClient({ url: origin, fetch: fetchLike, retry: { retries: RETRIES } });
  const trust = new Trust(client, known, now);
  const steps: Step[] = [];
  const result = await checkClaim(claim, {
    client,
    trust,
    read,
    clock,
    onStep: (step) => {
      steps.push(step);
      onStep(step);
    },
  });
  return { result, steps, trust: trust.document, evidence: undefined };
}
