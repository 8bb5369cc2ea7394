/**
 * One box that leads to a screen. `/` puts the cursor into it.
 */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useKey } from '../app/keys.tsx';
import { navigate } from '../app/router.ts';
import { ReadFailure } from '../data/read.ts';

export const QUERY_CHARACTERS_MAX = 128;

export interface SearchBoxOptions {
  readonly placeholder: string;
  readonly label: string;
  /** The screen for a searched text; undefined if there is none. */
  readonly find: (text: string) => Promise<string | undefined>;
}

export function SearchBox({ placeholder, label, find }: SearchBoxOptions): JSX.Element {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const box = useRef<HTMLInputElement>(null);
  useKey('/', () => box.current?.focus());
  const submit = async (): Promise<void> => {
    setProblem(undefined);
    try {
      const screen = await find(text);
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
        placeholder={placeholder}
        aria-label={label}
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
