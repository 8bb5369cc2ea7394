/**
 * Proves the payment of a deep chain from a pin made at its head: with the light client and an evidence file in this process, and
 * with the page in a browser. Everything that leads to the payment is then altered, and must be refused.
 */
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { createClient, LightClient, trustCut } from 'svc-client';
import {
  type Claim,
  type Evidence,
  proveClaim,
  type Report,
  type TrustDocument,
  verifyEvidence,
} from 'svc-client/evidence';
import { certifyEarlierCuts, fromHex } from 'svc-wasm';
import { BROWSER_MILLIS_MAX } from '../../../../tools/testing/chromium.ts';
import { type DeepChain, NOTE, PAYMENT_HEIGHT, type PaymentClaim } from './deep-chain.ts';
import { type Lie, LyingProxy } from './lying-proxy.ts';

const PATH_BYTES_MAX = 3_000;
const PATH_CHECKS = 100;
/** Places of each proof, header and certificate at which a digit is altered. */
const ALTERED_PLACES = 24;

/** What is between the head and the payment. */
const PATH_LIES: readonly Lie[] = [
  lie<{ proof_hex: string }>('another path', /^POST \/v1\/proofs\/cuts$/, (document) => {
    document.proof_hex = altered(document.proof_hex, document.proof_hex.length - 1);
  }),
  lie<{ cuts: { header_hex: string }[] }>(
    'another header',
    /^POST \/v1\/proofs\/cuts$/,
    (document) => {
      for (const cut of document.cuts) cut.header_hex = altered(cut.header_hex, 300);
    },
  ),
  lie<{ proof_hex: string }>('another outcome', /^POST \/v1\/proofs\/outcomes$/, (document) => {
    document.proof_hex = altered(document.proof_hex, document.proof_hex.length - 1);
  }),
];

const CHANGES_LIE = lie<{ proof_hex: string }>(
  'another amount received',
  /^POST \/v1\/proofs\/changes$/,
  (document) => {
    document.proof_hex = altered(document.proof_hex, document.proof_hex.length - 1);
  },
);

function lie<Document>(name: string, where: RegExp, change: (document: Document) => void): Lie {
  return { name, where, change };
}

/** The text with another hexadecimal digit at a place. */
function altered(hex: string, at: number): string {
  return `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`;
}

export interface PathFacts {
  readonly pathBytes: number;
  readonly checkMicros: number;
  /** Asking the node and checking what it answered. */
  readonly certifyMillis: number;
}

/** The light client pins the head, or the cut before the last one of an epoch, and certifies the cut of the payment. */
export async function certifyDeepCut(url: string): Promise<PathFacts> {
  const client = createClient({ url });
  const head = await client.chainHead();
  const { network, chain_id, time_millis, cut } = head;
  const pin = (height: number) => trustCut(client, network, chain_id, height);
  const trusted = await pin(cut.height).catch(() => pin(cut.height - 1));
  const light = new LightClient({ client, trusted, now: () => time_millis });
  const pinned = await light.certify(light.trustedHeight);
  const began = performance.now();
  const found = await light.certify(PAYMENT_HEIGHT);
  const certifyMillis = performance.now() - began;
  const said = await client.cut({ height: PAYMENT_HEIGHT });
  assert.deepEqual([found.height, found.cutId], [BigInt(PAYMENT_HEIGHT), said.cut.cut_id]);

  const heights = [PAYMENT_HEIGHT];
  const { cuts, proof_hex } = await client.proofsCuts({ height: light.trustedHeight, heights });
  const [headers, path] = [
    cuts.map(({ header_hex = '' }) => fromHex(header_hex)),
    fromHex(proof_hex),
  ];
  assert.ok(path.length < PATH_BYTES_MAX, `${path.length} bytes`);
  const checking = performance.now();
  for (let times = 0; times < PATH_CHECKS; times++) certifyEarlierCuts(pinned, headers, path);
  const checkMicros = (1_000 * (performance.now() - checking)) / PATH_CHECKS;
  return { pathBytes: path.length, checkMicros, certifyMillis };
}

export interface EvidenceFacts {
  readonly evidence: Evidence;
  readonly proofMillis: number;
  readonly evidenceBytes: number;
  readonly verifyMillis: number;
  readonly refused: number;
}

/** Proves the claim against the node, and once more from the evidence alone; no alteration of either is accepted. */
export async function provePayment(chain: DeepChain): Promise<EvidenceFacts> {
  const { payment, url } = chain;
  const { trust } = await proof({ kind: 'head' }, undefined, url);
  assert.ok(trust !== undefined);
  const began = performance.now();
  const { result, evidence } = await proof(payment, trust, url);
  const proofMillis = performance.now() - began;
  expectPayment(result, payment);
  assert.ok(evidence !== undefined);
  const text = JSON.stringify(evidence);
  const verifying = performance.now();
  expectPayment((await verifyEvidence(text)).result, payment);
  const verifyMillis = performance.now() - verifying;
  const refused = (await refuseLies(payment, trust, url)) + (await refuseAltered(evidence));
  return { evidence, proofMillis, evidenceBytes: text.length, verifyMillis, refused };
}

function proof(claim: Claim, trust: TrustDocument | undefined, origin: string): Promise<Report> {
  const clock = () => performance.now();
  return proveClaim(claim, trust, { origin, now: Date.now, clock, onStep: () => {} });
}

function expectPayment(result: Report['result'], { to, amount }: PaymentClaim): void {
  assert.equal(result.verdict, 'checked', JSON.stringify(result));
  if (result.verdict !== 'checked') return;
  const { facts, height } = result;
  assert.deepEqual([height, facts['to'], facts['amount']], [PAYMENT_HEIGHT, to, amount]);
  const note = facts['note_hex'];
  if (note !== undefined) assert.equal(Buffer.from(note, 'hex').toString(), NOTE);
}

/** A node that lies about the old cut or what it did is contradicted. */
async function refuseLies(
  payment: PaymentClaim,
  trust: TrustDocument,
  url: string,
): Promise<number> {
  const proxy = await LyingProxy.start(url);
  try {
    const lies = [...PATH_LIES, CHANGES_LIE];
    for (const each of lies) {
      proxy.lie = each;
      proxy.told = 0;
      const { result } = await proof(payment, trust, proxy.url);
      assert.deepEqual([each.name, result.verdict], [each.name, 'wrong']);
      assert.ok(proxy.told > 0);
    }
    return lies.length;
  } finally {
    await proxy.close();
  }
}

/** A digit of any proof, header or certificate in the file, or a word of its claim. */
async function refuseAltered(evidence: Evidence): Promise<number> {
  let refused = 0;
  const expectWrong = async (changed: Evidence, what: string): Promise<void> => {
    const { result } = await verifyEvidence(JSON.stringify(changed));
    assert.equal(result.verdict, 'wrong', `${what}: ${JSON.stringify(result)}`);
    refused++;
  };
  const hexes = [...JSON.stringify(evidence).matchAll(HEX_FIELDS)];
  assert.equal(hexes.length, 6);
  for (const { 1: name = '', 2: hex = '' } of hexes) {
    for (const at of placesIn(hex))
      await expectWrong(withOther(evidence, hex, at), `${name} at ${at}`);
  }
  const [proof] = evidence.claims;
  assert.ok(proof?.claim.kind === 'payment');
  const amount = String(BigInt(proof.claim.amount) + 1n);
  const claim = { ...proof.claim, amount };
  await expectWrong({ ...evidence, claims: [{ ...proof, claim }] }, 'another amount');
  return refused;
}

/** Header and certificate of the head, the earlier header, the path, and the parts of the proof, in the text of a file. */
const HEX_FIELDS = /"(headers?|certificate|path|outcome|changes)":\[?"([0-9a-f]+)"/g;

/** Digits all over a text in hexadecimal. */
function placesIn(hex: string): number[] {
  const step = Math.max(1, Math.floor(hex.length / ALTERED_PLACES));
  return Array.from({ length: Math.min(ALTERED_PLACES, hex.length) }, (_, place) => place * step);
}

function withOther(evidence: Evidence, hex: string, at: number): Evidence {
  return JSON.parse(JSON.stringify(evidence).replace(hex, altered(hex, at))) as Evidence;
}

export interface PageFacts {
  /** Time of a repeated proof; undefined where the node no longer has the transaction's bytes. */
  readonly proofMillis: number | undefined;
  readonly verifyMillis: number;
}

/** The page pins the head, proves the transaction on its screen, checks the evidence file, and refuses what was altered. */
export async function proveInPage(
  browser: Browser,
  { url, payment }: DeepChain,
  evidence: Evidence,
  hasBytes: boolean,
): Promise<PageFacts> {
  const proxy = await LyingProxy.start(url);
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(BROWSER_MILLIS_MAX);
  try {
    const page = await context.newPage();
    await page.goto(`${proxy.url}/ui`);
    await page.waitForSelector('[data-mark="checked"]');
    const proofMillis = hasBytes ? await proveScreen(page, proxy, payment) : undefined;
    await page.goto(`${proxy.url}/ui/verify`);
    const began = performance.now();
    assert.equal(await verdictOf(page, evidence), 'checked');
    const verifyMillis = performance.now() - began;
    for (const changed of alteredFiles(evidence)) {
      await page.reload();
      assert.equal(await verdictOf(page, changed), 'wrong');
    }
    return { proofMillis, verifyMillis };
  } finally {
    await context.close();
    await proxy.close();
  }
}

async function proveScreen(
  page: Page,
  proxy: LyingProxy,
  { transactionId }: PaymentClaim,
): Promise<number> {
  await page.goto(`${proxy.url}/ui/tx/${transactionId}`);
  await page.waitForSelector('[data-mark="checked"]');
  await page.locator('[data-mark]').click();
  await page.getByText(`lead to cut ${PAYMENT_HEIGHT}`).waitFor();
  for (const each of PATH_LIES) {
    proxy.lie = each;
    proxy.told = 0;
    await proveAgain(page);
    await page.waitForSelector('[data-mark="wrong"]');
    assert.ok(proxy.told > 0);
  }
  proxy.lie = undefined;
  const began = performance.now();
  await proveAgain(page);
  await page.waitForSelector('[data-mark="checked"]');
  return performance.now() - began;
}

async function proveAgain(page: Page): Promise<void> {
  const times = Number(await page.locator('[data-mark]').getAttribute('data-times'));
  await page.getByText('Check again').click();
  await page.waitForFunction(
    (before) =>
      Number(document.querySelector<HTMLElement>('[data-mark]')?.dataset['times']) > before,
    times,
  );
}

async function verdictOf(page: Page, evidence: Evidence): Promise<string | null> {
  await page.locator('[data-file="evidence"]').setInputFiles({
    name: 'evidence.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(evidence)),
  });
  const card = page.locator('section.card', { hasText: 'Check an evidence file' });
  return card.locator('[data-verdict]').first().getAttribute('data-verdict');
}

/** The last digit of the path, of the outcome and of the change, one after the other. */
function alteredFiles(evidence: Evidence): Evidence[] {
  const parts = evidence.claims[0]?.parts ?? {};
  const hexes = [evidence.history?.path, parts['outcome'], parts['changes']];
  return hexes.map((hex = assert.fail('a part is missing')) =>
    withOther(evidence, hex, hex.length - 1),
  );
}
