/**
 * Keys that work on every screen, while nothing is being typed: rows up and down, and a help that lists the keys.
 */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Acts on a key that is pressed alone and not typed into a field. */
export function useKey(key: string, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyped =
        event.target instanceof Element && event.target.closest('input,textarea,select') !== null;
      const isOther = event.key !== key || event.ctrlKey || event.metaKey || event.altKey;
      if (isOther || isTyped || event.defaultPrevented) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [key]);
}

/** Puts the cursor onto the link of the next row of the screen, or of the one before. */
function moveRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('main tbody tr')].flatMap((row) => {
    const link = row.checkVisibility() ? row.querySelector<HTMLElement>('a') : null;
    return link === null ? [] : [link];
  });
  const row = document.activeElement?.closest('main tbody tr');
  const at = links.findIndex((link) => row !== undefined && link.closest('tr') === row);
  const next = at === -1 ? (step === 1 ? 0 : links.length - 1) : at + step;
  links[next]?.focus();
  links[next]?.scrollIntoView({ block: 'nearest' });
}

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'search'],
  ['j', 'next row'],
  ['k', 'row before'],
  ['Enter', 'open what the cursor is on'],
  ['?', 'this list'],
  ['Esc', 'close the list'],
];

/** The button that opens the list of keys, and the list. */
export function KeyHelp(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = (): void => {
    if (dialog.current?.open === false) dialog.current.showModal();
  };
  const isOpen = (): boolean => dialog.current?.open === true;
  useKey('?', open);
  useKey('j', () => isOpen() || moveRow(1));
  useKey('k', () => isOpen() || moveRow(-1));
  return (
    <>
      <button type="button" class="as-link" onClick={open}>
        Keys
      </button>
      <dialog ref={dialog} class="keys" aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <dl>
          {KEYS.map(([key, about]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{about}</dd>
            </div>
          ))}
        </dl>
        <button type="button" class="primary" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </dialog>
    </>
  );
}
