import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig, Settings } from './layers.ts';
import { resolveConfig } from './resolve.ts';

function resolved(text: string) {
  const surroundings = { directory: '/srv/node', home: '/home/svc' };
  return resolveConfig(new Settings([parseConfig(text, 'node.json')]), surroundings);
}

test('a validator whose key is with a signer names its socket, or its address and certificates', () => {
  const local = resolved('{"network": "development", "validator": {"signer": "/run/signer"}}');
  assert.deepEqual(local.config.validator, { signer: { path: '/run/signer' }, heartbeat: null });
  const fingerprint = 'ab'.repeat(32);
  const tls = `"signer_fingerprint": "${fingerprint}", "signer_certificate_file": "a.crt", "signer_key_file": "a.key"`;
  const remote = resolved(
    `{"network": "development", "validator": {"signer": "10.0.0.7:4000", ${tls}}}`,
  );
  assert.deepEqual(remote.config.validator?.signer, {
    host: '10.0.0.7',
    port: 4_000,
    fingerprint,
    certificateFile: '/srv/node/a.crt',
    keyFile: '/srv/node/a.key',
  });
  const refused = (section: string): string => {
    try {
      resolved(`{"network": "development", "validator": ${section}}`);
    } catch (error) {
      return (error as Error).message;
    }
    return 'resolved';
  };
  assert.match(
    refused('{"signer": "10.0.0.7:4000"}'),
    /signer_fingerprint and .* must be given too/,
  );
  assert.match(refused('{"signer": "run/signer"}'), /expected the absolute path of a socket/);
  assert.match(
    refused('{"signer": "/run/signer", "consensus_key_file": "a", "password_file": "b"}'),
    /the key is with the signer of validator\.signer/,
  );
});
