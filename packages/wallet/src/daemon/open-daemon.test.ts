import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DaemonOptions, openDaemon } from './open-daemon.ts';

test('beyond this machine it does not listen without TLS of its own or the name of a host in front', async () => {
  const options = { host: '0.0.0.0', isRemote: true, hostNames: [] } as unknown as DaemonOptions;
  await assert.rejects(
    openDaemon(options),
    /--allow-remote needs TLS: a certificate of its own, or one in front/,
  );
});
