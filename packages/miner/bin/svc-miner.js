#!/usr/bin/env node
/** Starts `svc-miner`, also where the Node that was called is too old for its sources. */
import { startProgram } from 'svc-base/start';

await startProgram({
  name: 'svc-miner',
  url: import.meta.url,
  load: () => import('../src/cli/main.ts'),
});
