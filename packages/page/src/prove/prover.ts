/**
 * The page's side of the worker: starts it when the first proof is asked for, keeps the trust of the tab in the
 * browser, and makes one proof after the other.
 */
import { signal } from '@preact/signals';
import type { Claim, Report, Step, TrustDocument, VerifiedEvidence } from 'svc-client/evidence';
import type { Numbered, Order, Reply, ToolOrder } from './messages.ts';
import type { PayOrder } from './pay.ts';
import type { WalletAnswer, WalletOrder } from './tab-wallet.ts';

const STORE_KEY = 'svc-trust';
const IDENTITY_KEY = 'svc-identity';

/** What this browser trusts; kept for the next visit. */
export const trust = signal<TrustDocument | undefined>(readTrust());

function readTrust(): TrustDocument | undefined {
  try {
    const found = JSON.parse(localStorage.getItem(STORE_KEY) ?? 'null') as TrustDocument | null;
    return found?.format === 'svc-trust-v1' ? found : undefined;
  } catch {
    return undefined;
  }
}

/** The identity of the node, whose signature answers carry; pinned when it is first seen. */
function pinnedIdentity(): string | undefined {
  try {
    return localStorage.getItem(IDENTITY_KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

function pinIdentity(identity: string | undefined): void {
  try {
    if (identity !== undefined) localStorage.setItem(IDENTITY_KEY, identity);
  } catch {
    // Without storage the page pins again.
  }
}

/** Forgetting the pinned cut forgets the identity of the node as well. */
export function setTrust(next: TrustDocument | undefined): void {
  trust.value = next;
  try {
    if (next === undefined) localStorage.removeItem(IDENTITY_KEY);
    if (next === undefined) localStorage.removeItem(STORE_KEY);
    else localStorage.setItem(STORE_KEY, JSON.stringify(next));
  } catch {
    // Without storage trust begins again at the next visit.
  }
}

type OnReply = (reply: Reply) => void;

let worker: Worker | undefined;
let nextNumber = 1;
const orders = new Map<number, OnReply>();

function workerOf(): Worker {
  if (worker !== undefined) return worker;
  worker = new Worker(PROVER_ADDRESS, { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<Numbered<Reply>>) =>
    orders.get(data.number)?.(data.message);
  worker.onerror = () => {
    for (const tell of orders.values())
      tell({ type: 'failed', reason: 'the worker cannot run here' });
    worker = undefined;
  };
  return worker;
}

function order(
  message: Order,
  onStep: (step: Step) => void = () => {},
  handedOver: Transferable[] = [],
): Promise<Reply> {
  const number = nextNumber++;
  return new Promise((resolve) => {
    orders.set(number, (reply) => {
      if (reply.type === 'step') return onStep(reply.step);
      orders.delete(number);
      resolve(reply);
    });
    workerOf().postMessage({ number, message } satisfies Numbered<Order>, handedOver);
  });
}

function reportOf(reply: Reply, claims: readonly Claim[]): Report {
  if (reply.type === 'report') return reply.report;
  const result = { verdict: 'unproven', reason: failureOf(reply).message } as const;
  return {
    result,
    claims: claims.map((claim) => ({ claim, result })),
    basis: [],
    steps: [],
    trust: undefined,
    evidence: undefined,
  };
}

let last: Promise<unknown> = Promise.resolve();

export function prove(claim: Claim, onStep: (step: Step) => void): Promise<Report> {
  return proveAll([claim], onStep);
}

/** Proofs wait for each other: each begins with what the one before has certified. */
export function proveAll(
  claims: readonly Claim[],
  onStep: (step: Step) => void = () => {},
): Promise<Report> {
  const done = last.then(async () => {
    const pinned = trust.value;
    const asked = claims.map((claim) =>
      claim.kind === 'answer' ? { ...claim, identity: pinnedIdentity() } : claim,
    );
    const report = reportOf(
      await order({ type: 'prove', claims: asked, trust: pinned }, onStep),
      claims,
    );
    if (report.result.verdict === 'signed') pinIdentity(report.result.facts['identity']);
    const isNewer = report.trust !== undefined && report.trust.height > (trust.value?.height ?? -1);
    if (trust.value === pinned && isNewer) setTrust(report.trust);
    return report;
  });
  last = done;
  return done;
}

/** Checks an evidence file in the worker, which takes its bytes. */
export async function verifyFile(file: ArrayBuffer): Promise<VerifiedEvidence> {
  const reply = await order({ type: 'verify', file }, undefined, [file]);
  if (reply.type === 'verified') return reply.verified;
  throw failureOf(reply);
}

/** Trusts what a checkpoint names, if it is one and continues what this browser has certified. */
export async function loadCheckpoint(text: string): Promise<void> {
  await take({ type: 'checkpoint', text, trust: trust.value });
}

/** Pins the cut that a text `height:id` names, if it continues what this browser has certified. */
export async function pinCut(name: string): Promise<void> {
  await take({ type: 'pin', name, trust: trust.value });
}

async function take(message: Order): Promise<void> {
  const reply = await order(message);
  if (reply.type !== 'trusted') throw failureOf(reply);
  setTrust(reply.trust);
}

function failureOf(reply: Reply): Error {
  const reason = reply.type === 'failed' ? reply.reason : 'the worker answered something else';
  return new Error(reason.replace(/^Error: /, ''));
}

/** Signs and sends a payment in the worker; returns the id of the transaction. */
export async function payFromTab(payment: PayOrder): Promise<string> {
  const reply = await order({ type: 'pay', order: payment });
  if (reply.type === 'paid') return reply.id;
  throw failureOf(reply);
}

/** What the wallet in the worker does. */
export async function askWallet(wallet: WalletOrder): Promise<WalletAnswer> {
  const reply = await order({ type: 'wallet', order: wallet });
  if (reply.type === 'wallet') return reply.answer;
  throw failureOf(reply);
}

/** What a tool computes in the worker. */
export async function compute(tool: ToolOrder): Promise<string> {
  const reply = await order({ type: 'tool', order: tool });
  if (reply.type === 'computed') return reply.text;
  throw failureOf(reply);
}

export function wordsOf(address: string): Promise<string | undefined> {
  return compute({ tool: 'words', address }).catch(() => undefined);
}
