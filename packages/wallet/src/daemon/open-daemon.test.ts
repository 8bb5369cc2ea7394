import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreLimitOf, type DaemonOptions, openDaemon } from './open-daemon.ts';

test('the limit of core dumps is read as Linux writes it, and is unknown elsewhere', () => {
  const limits = (soft: string): string =>
    `Limit                     Soft Limit           Hard Limit           Units
Max file size             unlimited            unlimited            bytes
Max core file size        ${soft.padEnd(20)} unlimited            bytes
Max processes             95718                95718                processes
`;
  assert.equal(coreLimitOf(limits('0')), '0');
  assert.equal(coreLimitOf(limits('unlimited')), 'unlimited');
  assert.equal(coreLimitOf(''), undefined);
});

test('beyond this machine it does not listen without TLS of its own or the name of a host in front', async () => {
  const options = { host: '0.0.0.0', isRemote: true, hostNames: [] } as unknown as DaemonOptions;
  await assert.rejects(
    openDaemon(options),
    /--allow-remote needs TLS: a certificate of its own, or one in front/,
  );
});
