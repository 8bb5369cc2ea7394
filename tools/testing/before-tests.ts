/**
 * Loaded before the tests of a process, and by Node also in every thread that a test starts. Threads run no tests, so
 * that they need nothing of it.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  await import('./test-scope.ts');
  await import('./left-open.ts');
  await import('./property-seed.ts');
}
