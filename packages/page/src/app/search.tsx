/**
 * One box for heights, identifiers and addresses. `/` puts the cursor into it.
 */

import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { SearchResult } from 'svc-api';
import { get, ReadFailure, readDocument } from '../data/read.ts';
import { useKey } from './keys.tsx';
import { href, navigate } from './router.ts';

const QUERY_CHARACTERS_MAX = 128;
const SCREENS = {
  address: 'address',
  transaction: 'tx',
  block: 'block',
  cut: 'cut',
  validator: 'validator',
} as const;

/** The screen of what a text names; undefined if the node knows nothing of the name. */
export async function findScreen(text: string): Promise<string | undefined> {
  const query = text.trim().replaceAll(',', '').slice(0, QUERY_CHARACTERS_MAX);
  if (query === '') return undefined;
  if (/^[0-9]{1,15}$/.test(query)) return href('cut', Number(query));
  const found = await readDocument<SearchResult>(get(`/v1/search?q=${encodeURIComponent(query)}`));
  const [first] = found.results;
  return first === undefined ? undefined : href(SCREENS[first.kind], first.id);
}

export function Search(): JSX.Element {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const box = useRef<HTMLInputElement>(null);
  useKey('/', () => box.current?.focus());
  const submit = async (): Promise<void> => {
    setProblem(undefined);
    try {
      const screen = await findScreen(text);
      if (screen === undefined) {
        setProblem('Nothing here has that name.');
        return;
      }
      setText('');
      box.current?.blur();
      navigate(screen);
    } catch (error) {
      setProblem(error instanceof ReadFailure ? error.message : 'The search failed.');
    }
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <input
        ref={box}
        type="search"
        value={text}
        maxLength={QUERY_CHARACTERS_MAX}
        placeholder="Height, transaction, block, address"
        aria-label="Search: height, transaction, block, address or validator"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setProblem(undefined);
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
