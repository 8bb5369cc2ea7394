/**
 * Makes a typed call of a call that takes and gives JSON text. The typed call does nothing else: the rules, the checks and
 * the errors are those of the call that it wraps.
 */
import { SvcError } from '../base/svc-error.ts';
import { typed, typedPath, untyped } from './fields.ts';

/** What a wrapped call takes or returns for a type: text for documents, the rest as it is. */
type Wire<T> = T extends Uint8Array | boolean | null | undefined
  ? T
  : T extends number
    ? number | string
    : T extends readonly Uint8Array[]
      ? T | string
      : T extends string
        ? T
        : T extends object | bigint
          ? T | string
          : T;

type WireAll<Given extends readonly unknown[]> = { [Place in keyof Given]: Wire<Given[Place]> };

type Call<Signature extends (...given: never[]) => unknown> = {
  /** A method, so that a call may take less than the union that a type can be turned into. */
  of(...given: WireAll<Parameters<Signature>>): Wire<ReturnType<Signature>> | string;
}['of'];

/** How one argument is passed to the wrapped call: as it is, as a JSON document, as a manifest, or as decimal text. */
export type Way = 'raw' | 'json' | 'manifest' | 'text';

/** The texts of manifests: one goes into nearly every call, and is the same object every time. */
const manifests = new WeakMap<object, string>();

function write(value: unknown, way: Way | undefined): unknown {
  if (value === undefined || value === null || way === undefined || way === 'raw') return value;
  if (way === 'text') return untyped(value);
  if (way === 'json') return JSON.stringify(untyped(value));
  const before = manifests.get(value);
  if (before !== undefined) return before;
  const text = JSON.stringify(untyped(value));
  if (Object.isFrozen(value)) manifests.set(value, text);
  return text;
}

/** With the names of the typed call: `outputs[0].payload`, where the document has `outputs[0].payload_hex`. */
function renamed(error: unknown): unknown {
  if (!(error instanceof SvcError) || error.path === undefined) return error;
  const path = typedPath(error.path);
  if (path === error.path) return error;
  const message = error.message.slice(`${error.path}: `.length);
  return new SvcError(error.code, message, { path, cause: error });
}

/** `ways` names how each argument goes in, `gives` how the answer comes back. */
export function twin<Signature extends (...given: never[]) => unknown>(
  call: Call<Signature>,
  ways: readonly Way[],
  gives: 'raw' | 'json' = 'raw',
): Signature {
  const behind = call as (...given: unknown[]) => unknown;
  const made = (...given: unknown[]): unknown => {
    try {
      const answer = behind(...given.map((value, place) => write(value, ways[place])));
      return gives === 'json' ? typed(JSON.parse(answer as string)) : answer;
    } catch (error) {
      throw renamed(error);
    }
  };
  return made as unknown as Signature;
}
