#!/usr/bin/env node
/** Starts `svc-signer`, also where the Node that was called is too old for its sources. */
import { startProgram } from 'svc-base/start';

await startProgram({
  name: 'svc-signer',
  url: import.meta.url,
  load: () => import('../src/signer/main.ts'),
});
