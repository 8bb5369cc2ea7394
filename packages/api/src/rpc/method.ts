/**
 * The contract of one method of the wallet daemon. The daemon checks calls with it, clients are
 * typed by it, and the description and the reference are made from it.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { RpcErrorKind } from './errors.ts';

export const METHOD_GROUPS = [
  'wallet',
  'addresses',
  'incoming',
  'outgoing',
  'staking',
  'ownership',
  'shared',
  'events',
  'validator',
] as const;
export type MethodGroup = (typeof METHOD_GROUPS)[number];

export interface RpcMethod {
  readonly name: string;
  readonly group: MethodGroup;
  readonly summary: string;
  readonly params: TObject;
  readonly result: TSchema;
  /** Whether the method is an addition of this daemon to the specification. */
  readonly extension: boolean;
  /** Refusals beside those that every call may get. */
  readonly errors: readonly RpcErrorKind[];
  readonly example: { readonly params: object; readonly result: unknown };
}

type Given = Omit<RpcMethod, 'group' | 'extension'> & Partial<Pick<RpcMethod, 'extension'>>;

const DEFAULTS = { extension: false } as const;

/** Defines methods of a group, which are those of the specification unless they say otherwise. */
export function methodsOf<const G extends MethodGroup>(group: G) {
  return <const M extends Given>(
    method: M,
  ): { readonly group: G } & Omit<typeof DEFAULTS, keyof M> & M => ({
    group,
    ...DEFAULTS,
    ...method,
  });
}

export type ParamsOf<M extends RpcMethod> = Static<M['params']>;
export type ResultOf<M extends RpcMethod> = Static<M['result']>;
