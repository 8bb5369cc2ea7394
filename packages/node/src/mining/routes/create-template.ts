/**
 * `POST /v1/mining/templates`.
 */

import type { TemplateDocument, TemplateRequest } from 'svc-api';
import { REGISTRATION_WINDOW_CUTS } from 'svc-ledger';
import { Refused } from 'svc-serve';
import { decodeAddress, toHex } from 'svc-wasm/base';
import type { MiningPorts } from '../ports.ts';
import { SELECTION_MILLIS } from '../selections.ts';

/** The most cuts a node may be behind to give out work; later work would hardly be registered in time. */
const BEHIND_MAX = REGISTRATION_WINDOW_CUTS / 2;
const SYNC_MILLIS = 10_000;
const UPDATE_MILLIS = 60_000;

export function createTemplate(ports: MiningPorts, request: TemplateRequest): TemplateDocument {
  const { chain, templates } = ports;
  const payout = toHex(decodeAddress(request.payout, chain.parameters.network, 'payout'));
  if (ports.isOutdated()) {
    const message = 'the network follows rules that this release does not know: update the node';
    throw new Refused('not_synced', message, { retryAfterMillis: UPDATE_MILLIS });
  }
  const { behind_by: behindBy } = ports.sync();
  if (behindBy > BEHIND_MAX) {
    const message = `the node is ${behindBy} cuts behind the network`;
    throw new Refused('not_synced', message, { retryAfterMillis: SYNC_MILLIS });
  }
  const template = templates.make({
    payout,
    maxTransactions: request.max_transactions,
    minerTag: request.miner_tag ?? '',
  });
  if (template !== undefined) return template.document;
  throw new Refused('overloaded', 'too many addresses ask for templates', {
    retryAfterMillis: SELECTION_MILLIS,
  });
}
