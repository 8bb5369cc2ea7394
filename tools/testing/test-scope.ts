/**
 * Loaded before the tests of a process: finds in which test something happens, without following every promise. Node's
 * runner follows each of them from its making to its collection, to find the test of an uncaught error, and
 * a test that waits much pays for that with up to a quarter of its processor time. Here the test is in the storage
 * that Node carries along anyway, and the runner's own handlers of errors are called in the scope of the test.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { getTestContext } from 'node:test';

/** The hook with which the runner watches resources. It has no other way to leave out promises than this symbol of Node's own. */
interface RunnerHook {
  disable(): void;
  enable(): void;
  [isWithoutPromises: symbol]: unknown;
}

interface HooksOfNode {
  getHookArrays(): readonly [active: readonly RunnerHook[]];
  readonly kNoPromiseHook: symbol;
}

type Handler = (...args: unknown[]) => void;

const scopes = new AsyncLocalStorage<AsyncResource>();

/** The test in which this is called, or the suite for its hooks; undefined outside of them. */
export function testOfCaller(): ReturnType<typeof getTestContext> {
  const scope = scopes.getStore();
  return scope === undefined ? getTestContext() : scope.runInAsyncScope(getTestContext);
}

function leaveOutPromises(): void {
  const hooks = createRequire(import.meta.url)('internal/async_hooks') as HooksOfNode;
  if (typeof hooks.kNoPromiseHook !== 'symbol') throw new Error('this Node has another switch');
  for (const hook of [...hooks.getHookArrays()[0]]) {
    hook.disable();
    hook[hooks.kNoPromiseHook] = true;
    hook.enable();
  }
}

/** The runner removes its handlers by their own names, which a replacing handler carries too. */
function handleInScope(event: 'uncaughtException' | 'unhandledRejection'): void {
  for (const listener of process.listeners(event as 'uncaughtException') as Handler[]) {
    const inScope: Handler = (...args) => {
      const scope = scopes.getStore();
      if (scope === undefined) listener(...args);
      else scope.runInAsyncScope(listener, undefined, ...args);
    };
    process.off(event, listener);
    process.on(event, Object.assign(inScope, { listener }));
  }
}

// A resource that is made where a test begins is known to the runner as one of that test.
channel('tracing:node.test:start').bindStore(scopes, () => new AsyncResource('scope of a test'));
leaveOutPromises();
handleInScope('uncaughtException');
handleInScope('unhandledRejection');
