/**
 * `POST /v1/mining/candidates`.
 */
import { type CandidateDocument, type CandidateRequest, errorEntry, isErrorCode } from 'svc-api';
import { Refused } from 'svc-serve';
import { fromHex, toHex } from 'svc-wasm/base';
import { LOCAL_SOURCE } from '../../blocks/hash-budget.ts';
import type { MiningPorts } from '../ports.ts';

const RETRY_MILLIS = 1_000;
const BODY_ROOT_AT = 112;
const BODY_ROOT_BYTES = 48;

export async function submitCandidate(
  { blocks, templates, log }: MiningPorts,
  request: CandidateRequest,
): Promise<CandidateDocument> {
  const header = fromHex(request.header_hex, 'header_hex');
  const body = fromHex(request.body_hex, 'body_hex');
  const admission = await blocks.submit(header, body, LOCAL_SOURCE);
  const bodyRoot = toHex(header.subarray(BODY_ROOT_AT, BODY_ROOT_AT + BODY_ROOT_BYTES));
  const isOwn = templates.isOwn(bodyRoot);
  if ('code' in admission) {
    const { code, message } = admission;
    log.info({ code, own_template: isOwn }, 'a candidate was refused');
    throw refusedFor(code, message);
  }
  const { type, id } = admission;
  log.info({ block: id, result: type, own_template: isOwn }, 'a candidate came in');
  return { api_version: 1, result: type, block_id: id };
}

function refusedFor(code: string, message: string): Refused {
  if (!isErrorCode(code)) return new Refused('bad_block', message);
  const mayRepeat = errorEntry(code).status === 503;
  return new Refused(code, message, mayRepeat ? { retryAfterMillis: RETRY_MILLIS } : {});
}
