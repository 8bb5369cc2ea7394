/** When the node itself fails, and what a client is told of it. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ERROR_CATALOGUE, isErrorCode } from 'svc-api';
import { type LogFields, SILENT_LOG } from 'svc-base/pure';
import { ERROR_CODES } from 'svc-wasm/base';
import { errorOf, HttpNode } from './testing/http-node.ts';

suite('faults', () => {
  test('a fault of the node is 500 without a word of its inside, and is logged', async (t) => {
    const logged: LogFields[] = [];
    const log = { ...SILENT_LOG, error: (fields: LogFields) => void logged.push(fields) };
    const node = await HttpNode.start(t, {}, { log });
    node.services.sync = () => {
      throw new Error('secret path /var/lib/svc');
    };
    const received = await node.get('/v1/node/sync');
    assert.equal(received.status, 500);
    assert.deepEqual(errorOf(received), {
      code: 'internal_error',
      message: 'the node failed to answer',
    });
    assert.doesNotMatch(received.text, /secret|var|stack|at /);
    assert.match(String(logged[0]?.['error']), /secret path/);
    assert.equal(logged[0]?.['target'], '/v1/node/sync');
    assert.equal((await node.get('/health')).status, 200, 'and the next request is answered');
  });

  test('a snapshot is closed when its last reader is done and a cut has come, not before', async (t) => {
    const node = await HttpNode.start(t);
    const { chain } = node.services;
    let open = 0;
    const opened = chain.reader.bind(chain);
    chain.reader = () => {
      const reader = opened();
      const close = reader.close.bind(reader);
      open++;
      reader.close = () => {
        open--;
        return close();
      };
      return reader;
    };
    const balance = `/v1/address/${chain.text(0)}/balance`;
    await Promise.all(Array.from({ length: 20 }, () => node.get(balance)));
    assert.equal(open, 1, 'one snapshot for all');
    await chain.cut();
    assert.equal(open, 0);
    await Promise.all([node.get(balance), chain.cut(), node.get(balance)]);
    assert.ok(open <= 1);
    await chain.cut();
    assert.equal(open, 0);
  });
});

suite('the catalogue of errors', () => {
  test('every code of the protocol module that a request can run into is in it', () => {
    /** Of calls that no request makes: keys, wallets, packages, certificates. */
    const elsewhere = new Set([
      'not_initialized',
      'already_initialized',
      'kernel_unavailable',
      'kernel_trap',
      'freed',
      'bad_mnemonic',
      'wrong_password',
      'bad_uri',
      'not_provable',
      'wrong_request',
      'wrong_identity',
      'bad_file',
      'bad_payload',
      'wrong_party',
      'bad_secret_key',
      'bad_proof',
      'wrong_state_root',
      'bad_cut',
      'wrong_validator_set',
      'wrong_cut',
      'insufficient_stake',
      'wrong_list_root',
      'bad_evidence',
      'not_trusted',
      'trust_expired',
      'no_memory',
      'no_dataset',
      'no_operation',
      'owner_unexpected',
      'bad_package',
      'fee_undeclared',
      'package_profile_mismatch',
      'package_descriptor_mismatch',
      'package_template_mismatch',
      'package_complete',
      'package_incomplete',
      'wrong_digest',
      'not_a_member',
      'already_signed',
    ]);
    const missing = Object.keys(ERROR_CODES).filter(
      (code) => !isErrorCode(code) && !elsewhere.has(code),
    );
    assert.deepEqual(missing, []);
  });

  test('every entry has a status of a refusal, an advice and a sentence', () => {
    for (const [code, entry] of Object.entries(ERROR_CATALOGUE)) {
      assert.match(code, /^[a-z][a-z_]+$/);
      assert.ok(entry.status >= 400 && entry.status < 600, code);
      assert.ok(['never', 'later', 'same_request_id'].includes(entry.retry), code);
      assert.match(entry.meaning, /^[A-Z].*\.$/, code);
      if (entry.status === 429 || entry.status === 503) assert.equal(entry.retry, 'later', code);
    }
  });
});
