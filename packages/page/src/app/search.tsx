/**
 * The search of the explorer: heights, identifiers and addresses.
 */
import type { JSX } from 'preact';
import type { SearchResult } from 'svc-api';
import { get, readDocument } from '../data/read.ts';
import { QUERY_CHARACTERS_MAX, SearchBox } from '../parts/search-box.tsx';
import { href } from './router.ts';

const SCREENS = {
  address: 'address',
  transaction: 'tx',
  block: 'block',
  cut: 'cut',
  validator: 'validator',
} as const;

/** The screen for a searched text; undefined if the node does not know it. */
export async function findScreen(text: string): Promise<string | undefined> {
  const query = text.trim().replaceAll(',', '').slice(0, QUERY_CHARACTERS_MAX);
  if (query === '') return undefined;
  if (/^[0-9]{1,15}$/.test(query)) return href('cut', Number(query));
  const found = await readDocument<SearchResult>(get(`/v1/search?q=${encodeURIComponent(query)}`));
  const [first] = found.results;
  return first === undefined ? undefined : href(SCREENS[first.kind], first.id);
}

export function Search(): JSX.Element {
  return (
    <SearchBox
      placeholder="Height, id or address"
      label="Search: height, transaction, block, address or validator"
      find={findScreen}
    />
  );
}
