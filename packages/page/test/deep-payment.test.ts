/**
 * A payment of an epoch whose validators the reader never knew, from a pin made at the head: `measure-deep.ts` does the same at any
 * depth.
 */
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { findChromium, launchChromium } from '../../../tools/testing/chromium.ts';
import { serveDeepChain } from './testing/deep-chain.ts';
import { certifyDeepCut, proveInPage, provePayment } from './testing/deep-payment.ts';

const CUTS = 650;
const chromium = findChromium();

test('light client, page and evidence prove an old payment from a pin at the head, and refuse it altered', async (t) => {
  await init();
  const chain = await serveDeepChain({ cuts: CUTS, storage: 'archive' });
  t.after(() => chain.close());
  const { pathBytes } = await certifyDeepCut(chain.url);
  const { evidence, refused } = await provePayment(chain);
  t.diagnostic(`path of ${pathBytes} bytes; ${refused} alterations refused`);
  if (chromium === undefined)
    return t.diagnostic('no Chromium on this machine: the page is left out');
  const browser = await launchChromium(chromium);
  t.after(() => browser.close());
  await proveInPage(browser, chain, evidence, true);
});
