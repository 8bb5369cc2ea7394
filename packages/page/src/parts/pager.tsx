/**
 * A long list of the node, one page at a time, so that what is drawn does not grow with the list.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../data/read.ts';
import { type Reading, useRead } from '../data/use-read.ts';
import { whole } from '../format/figures.ts';

const PAGE_ROWS = 64;

export interface Pages<T> {
  readonly reading: Reading<T>;
  /** How many rows are before this page. */
  readonly before: number;
  readonly back: () => void;
  /** Continues after so many rows of this page. */
  readonly forward: (cursor: string, rows: number) => void;
}

/** Reads a route that takes `limit` and `cursor`, from its first page on; that page is read again when the revision changes. */
export function usePages<T>(path: string, revision: unknown = 0): Pages<T> {
  const [places, setPlaces] = useState<readonly { cursor: string; before: number }[]>([]);
  const { cursor = '', before = 0 } = places.at(-1) ?? {};
  const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  return {
    reading: useRead<T>(get(`${path}?limit=${PAGE_ROWS}${more}`), cursor === '' ? revision : 0),
    before,
    back: () => setPlaces(places.slice(0, -1)),
    forward: (next, rows) => setPlaces([...places, { cursor: next, before: before + rows }]),
  };
}

/** Which rows are shown, and links to those before and after them; nothing for a list of one page. */
export function Pager(props: {
  pages: Pages<unknown>;
  rows: number;
  /** Of the whole list, if it is known. */
  total: number | null;
  next: string | undefined;
}): JSX.Element | null {
  const { pages, rows, total, next } = props;
  const { before, back, forward } = pages;
  if (before === 0 && next === undefined) return null;
  return (
    <p class="more">
      <button type="button" disabled={before === 0} onClick={back}>
        Before
      </button>
      <span class="soft" role="status">
        {whole(before + 1)} to {whole(before + rows)}
        {total === null ? '' : ` of ${whole(total)}`}
      </span>
      <button
        type="button"
        disabled={next === undefined}
        onClick={() => (next === undefined ? undefined : forward(next, rows))}
      >
        Next
      </button>
    </p>
  );
}
