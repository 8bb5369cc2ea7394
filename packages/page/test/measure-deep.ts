/**
 * Makes a chain of many cuts, serves it with a process of `svcd`, and proves the payment of cut 241 from a pin made at its head, in
 * Node and in Chromium; reports sizes and times, and how many alterations were refused.
 *
 * Usage: node tools/bootstrap.mjs packages/page/test/measure-deep.ts [--cuts 100000] [--storage archive|full]
 */
import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { init } from 'svc-wasm';
import { findChromium, launchChromium } from '../../../tools/testing/chromium.ts';
import { PAYMENT_HEIGHT, serveDeepChain } from './testing/deep-chain.ts';
import { certifyDeepCut, proveInPage, provePayment } from './testing/deep-payment.ts';
import { rounded, say } from './testing/measuring.ts';

/** As long as a `full` node keeps the bytes of transactions. */
const BLOCK_CUTS = 69_120;
const CUTS_MAX = 10_000_000;

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '100000' },
    storage: { type: 'string', default: 'archive' },
  },
});
const cuts = Number(values.cuts);
const { storage } = values;
assert.ok(Number.isInteger(cuts) && cuts > PAYMENT_HEIGHT && cuts <= CUTS_MAX, `--cuts ${cuts}`);
assert.ok(storage === 'archive' || storage === 'full', `--storage ${storage}`);

await init();
const onProgress = (height: number): void => say(`made ${height} of ${cuts} cuts`);
const chain = await serveDeepChain({ cuts, storage, onProgress });
try {
  const seconds = chain.makingMillis / 1_000;
  say(`load of the machine: ${loadavg().map(rounded).join(' ')}`);
  say(`${cuts} cuts made in ${rounded(seconds)} s, ${rounded(cuts / seconds)} a second`);
  say(`node of mode ${storage} ready after ${rounded(chain.openingMillis / 1_000)} s`);
  const path = await certifyDeepCut(chain.url);
  say(
    `path to cut ${PAYMENT_HEIGHT}: ${path.pathBytes} bytes, checked in ${rounded(path.checkMicros)} us; with the request ${rounded(path.certifyMillis)} ms`,
  );
  const { evidence, ...facts } = await provePayment(chain);
  say(`payment proven in ${rounded(facts.proofMillis)} ms; ${facts.refused} alterations refused`);
  say(`evidence: ${facts.evidenceBytes} bytes, proven in ${rounded(facts.verifyMillis)} ms`);
  const browser = await launchChromium(findChromium() ?? assert.fail('no Chromium here'));
  try {
    const hasBytes = storage === 'archive' || cuts - PAYMENT_HEIGHT < BLOCK_CUTS;
    const page = await proveInPage(browser, chain, evidence, hasBytes);
    const shown =
      page.proofMillis === undefined ? 'no bytes to show' : `${rounded(page.proofMillis)} ms`;
    say(`page in Chromium: screen ${shown}; evidence file ${rounded(page.verifyMillis)} ms`);
  } finally {
    await browser.close();
  }
} finally {
  await chain.close();
}
