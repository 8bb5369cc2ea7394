import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CliError, EXIT } from 'svc-base/cli';
import type { Session } from '../session/session.ts';
import { waitFinal } from './rows.ts';

test('a wallet that cannot be asked any more leaves the outcome of what was sent unknown', async () => {
  const gone = new CliError(EXIT.unreachable, 'the daemon did not answer', { hint: 'try again' });
  const session: Session = {
    call: () => Promise.reject(gone),
    refresh: async () => {},
    close: async () => {},
  };
  await assert.rejects(waitFinal(session, { transaction: 'aa' }), {
    exitCode: EXIT.unknown,
    message: 'transaction aa was sent, and its outcome is unknown: the daemon did not answer',
    hint: 'svc-wallet transaction --transaction aa',
  });
});
