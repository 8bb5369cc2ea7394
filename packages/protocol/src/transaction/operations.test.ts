import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bodyOf,
  manifestWith,
  NETWORK,
  operationRequests,
} from '../../test/transaction-fixture.ts';
import { fromHex, toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { keyHash } from '../kernel/hash-label.ts';
import { decodeAddress } from '../text/address.ts';
import { decodeBody } from './decode.ts';
import { decodeOperation, type OperationRequest, showOperation } from './operations.ts';

await init();
const manifest = manifestWith();

/** What a program is given for a field of a request, written without the table of fields. */
function expected({ data }: OperationRequest): Record<string, unknown> {
  const typed: Record<string, unknown> = {};
  const address = (text: string) => toHex(decodeAddress(text, NETWORK, ''));
  for (const [name, text] of Object.entries(data as Record<string, string>)) {
    if (name === 'validator_id') typed['validatorId'] = text;
    if (name === 'position_id') typed['positionId'] = text;
    if (name === 'owner_address') typed['ownerAddress'] = address(text);
    if (name === 'reward_address') typed['rewardAddress'] = address(text);
    if (name === 'amount') typed['amount'] = BigInt(text);
    if (name === 'epoch') typed['epoch'] = BigInt(text);
    if (name === 'commission_bps') typed['commissionBps'] = Number(text);
    if (name === 'overlay_endpoint_hex') typed['endpoint'] = fromHex(text);
    if (name !== 'consensus_public_key_hex') continue;
    const publicKey = fromHex(text);
    typed['consensusKey'] = { publicKey, keyHash: toHex(keyHash(publicKey)) };
  }
  return typed;
}

test('every operation is given to programs with its own types, and shown as it was asked for', () => {
  for (const request of operationRequests()) {
    const table = decodeBody(bodyOf({ operation: request }, manifest), manifest);
    const { type } = request;
    assert.deepEqual(decodeOperation(table), { type, ...expected(request) });
    assert.deepEqual(showOperation(table, NETWORK), request);
  }
});

test('a body without an operation has none', () => {
  const table = decodeBody(bodyOf({}, manifest), manifest);
  assert.equal(decodeOperation(table), null);
  assert.equal(showOperation(table, NETWORK), undefined);
});
