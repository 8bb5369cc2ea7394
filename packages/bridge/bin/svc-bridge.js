#!/usr/bin/env node
/** Starts `svc-bridge`, also where the Node that was called is too old for its sources. */
import { startProgram } from 'svc-base/start';

await startProgram({
  name: 'svc-bridge',
  url: import.meta.url,
  load: () => import('../src/main.ts'),
});
