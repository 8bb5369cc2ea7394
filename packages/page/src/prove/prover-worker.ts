/**
 * The worker: loads the module and does what the page orders, so that the page stays smooth while signatures are
 * checked.
 */

import { createClient } from 'svc-client';
import {
  parseCheckpoint,
  proveClaims,
  renewTrust,
  type TrustDocument,
  trustNamedCut,
  verifyEvidence,
} from 'svc-client/evidence';
import { init } from 'svc-wasm';
import kernelAddress from 'svc-wasm/svc.wasm';
import type { Numbered, Order, Reply } from './messages.ts';
import { payFromTab } from './pay.ts';
import { TabWallet } from './tab-wallet.ts';
import { computeTool } from './tools.ts';

declare function postMessage(reply: Numbered<Reply>): void;

/** The bundler takes the entry for browsers, whose options name an address; the compiler sees the one for Node. */
const ready = init({ url: kernelAddress } as Parameters<typeof init>[0]);

const wallet = new TabWallet(location.origin, () => Date.now());

addEventListener('message', (event) => {
  const { number, message } = (event as MessageEvent<Numbered<Order>>).data;
  const reply = (made: Reply) => postMessage({ number, message: made });
  carryOut(message, reply)
    .then(reply)
    .catch((error: unknown) => reply({ type: 'failed', reason: String(error) }));
});

async function carryOut(order: Order, reply: (made: Reply) => void): Promise<Reply> {
  await ready;
  switch (order.type) {
    case 'prove':
      return {
        type: 'report',
        report: await proveClaims(order.claims, order.trust, {
          origin: location.origin,
          now: () => Date.now(),
          clock: () => performance.now(),
          onStep: (step) => reply({ type: 'step', step }),
        }),
      };
    case 'verify': {
      const text = new TextDecoder().decode(order.file);
      return { type: 'verified', verified: await verifyEvidence(text) };
    }
    case 'checkpoint':
      return { type: 'trusted', trust: await trustCheckpoint(order.text, order.trust) };
    case 'pin':
      return {
        type: 'trusted',
        trust: await trustNamedCut(client(), order.name, order.trust, () => Date.now()),
      };
    case 'pay':
      return { type: 'paid', id: await payFromTab(location.origin, order.order) };
    case 'wallet':
      return { type: 'wallet', answer: await wallet.carryOut(order.order) };
    case 'tool':
      return { type: 'computed', text: await computeTool(location.origin, order.order) };
  }
}

const client = () => createClient({ url: location.origin });

/** A checkpoint, which has to continue what was certified before. */
async function trustCheckpoint(
  text: string,
  known: TrustDocument | undefined,
): Promise<TrustDocument> {
  let found: TrustDocument;
  try {
    found = parseCheckpoint(text);
  } catch (cause) {
    throw new Error('That file is no checkpoint.', { cause });
  }
  return known === undefined ? found : await renewTrust(client(), known, found, () => Date.now());
}
