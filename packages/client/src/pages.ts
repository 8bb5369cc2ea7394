/**
 * Lists of several pages as one async iterator.
 */
import type { Caller } from './http/transport.ts';
import type { AnswerOf, CallOptions, InputOf } from './routes/route-types.ts';

/** Routes that page with `cursor`, and the field that holds the rows. */
const ROWS = {
  addressUtxos: 'utxos',
  addressHistory: 'events',
  addressChanges: 'changes',
  cutTransactions: 'transactions',
  cutChanges: 'changes',
  stakingValidators: 'validators',
} as const;

type CursorRoute = keyof typeof ROWS;
type PagedRoute = CursorRoute | 'cuts';

export type RowOf<N extends PagedRoute> = N extends CursorRoute
  ? AnswerOf<N>[(typeof ROWS)[N] & keyof AnswerOf<N>] extends readonly (infer Row)[]
    ? Row
    : never
  : AnswerOf<'cuts'>['cuts'][number];

export type Pages = {
  readonly [N in PagedRoute]: (
    input: Omit<InputOf<N>, 'cursor' | 'before'>,
    options?: CallOptions,
  ) => AsyncGenerator<RowOf<N>, void>;
};

export function makePages(transport: Caller): Pages {
  const byCursor = Object.keys(ROWS).map((name) => [
    name,
    (input: object, options?: CallOptions) =>
      rowsByCursor(transport, name as CursorRoute, input, options),
  ]);
  return {
    ...(Object.fromEntries(byCursor) as Omit<Pages, 'cuts'>),
    cuts: (input, options) => cutsDownwards(transport, input, options),
  };
}

async function* rowsByCursor(
  transport: Caller,
  name: CursorRoute,
  input: object,
  options?: CallOptions,
): AsyncGenerator<unknown, void> {
  let cursor: string | undefined;
  do {
    const page = await transport.call(name, { ...input, cursor }, options);
    yield* (page as unknown as Record<string, readonly unknown[]>)[ROWS[name]] ?? [];
    cursor = page.next_cursor;
  } while (cursor !== undefined);
}

async function* cutsDownwards(
  transport: Caller,
  input: object,
  options?: CallOptions,
): AsyncGenerator<RowOf<'cuts'>, void> {
  let before: number | undefined;
  do {
    const page = await transport.call('cuts', { ...input, before }, options);
    yield* page.cuts;
    before = page.next_before;
  } while (before !== undefined);
}
