/**
 * Calls of the public functions with arguments that they accept, as the checks of these functions
 * make them: the starting point for arguments that they must not accept.
 */
import type { WalletRoot } from '../../src/index.ts';
import type { Kernel, Svc } from '../public-functions/check.ts';
import { runPublicChecks } from '../public-functions/index.ts';

export interface RecordedCall {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly result: unknown;
  /** Calls the function again, with whatever arguments. */
  readonly again: (args: readonly unknown[]) => unknown;
}

type Callable = (...args: readonly unknown[]) => unknown;
type Members = Readonly<Record<string, unknown>>;

/** Every function, wrapped so that a call that returned is recorded. */
function recordingMembers(
  prefix: string,
  members: Members,
  again: Members,
  calls: RecordedCall[],
): Members {
  const wrapped = Object.entries(members).map(([name, member]): [string, unknown] => {
    if (typeof member !== 'function' || /^[A-Z]/.test(name)) return [name, member];
    const record: Callable = (...args) => {
      const result: unknown = Reflect.apply(member, undefined, args);
      const kept = args.map((value) => (value instanceof Uint8Array ? value.slice() : value));
      calls.push({
        name: prefix + name,
        args: kept,
        result,
        again: (given) => (again[name] as Callable)(...given),
      });
      return result;
    };
    return [name, record];
  });
  return Object.fromEntries(wrapped);
}

function methodsOf(root: WalletRoot): Members {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(root));
  const methods = names.filter((name) => name !== 'constructor');
  const members = root as unknown as Record<string, Callable>;
  return Object.fromEntries(
    methods.map((name) => [name, (...args: unknown[]) => members[name]?.(...args)]),
  );
}

/** A wallet root that records; the calls are made again on a twin, which is never freed. */
function recordingRoots(svc: Svc, calls: RecordedCall[]): Members {
  const { WalletRoot: Root } = svc;
  const statics: Members = {
    fromMnemonic: (words: string, passphrase?: string) => Root.fromMnemonic(words, passphrase),
    fromEntropy: (entropy: Uint8Array, passphrase?: string) =>
      Root.fromEntropy(entropy, passphrase),
  };
  const recorded = recordingMembers('WalletRoot.', statics, statics, calls);
  const made = Object.entries(recorded).map(([name, make]): [string, Callable] => [
    name,
    (...args) => {
      const root = methodsOf((make as Callable)(...args) as WalletRoot);
      const twin = methodsOf((statics[name] as Callable)(...args) as WalletRoot);
      return recordingMembers('WalletRoot.', root, twin, calls);
    },
  ]);
  return Object.fromEntries(made);
}

/** The first accepted call of every function with each number of arguments. */
export function recordCalls(svc: Svc, kernel: Kernel): RecordedCall[] {
  const calls: RecordedCall[] = [];
  const { mlDsa65 } = kernel;
  const recordingSvc = {
    ...recordingMembers('', svc, svc, calls),
    WalletRoot: recordingRoots(svc, calls),
  } as unknown as Svc;
  const recordingKernel = {
    ...recordingMembers('kernel.', kernel, kernel, calls),
    mlDsa65: recordingMembers('mlDsa65.', { ...mlDsa65 }, { ...mlDsa65 }, calls),
  } as unknown as Kernel;
  for (const { functions, error } of runPublicChecks(recordingSvc, recordingKernel)) {
    if (error !== undefined) throw new Error(`${functions}: ${error}`);
  }
  const first = new Map<string, RecordedCall>();
  for (const call of calls) {
    const key = `${call.name}/${call.args.length}`;
    if (!first.has(key)) first.set(key, call);
  }
  return [...first.values()];
}
