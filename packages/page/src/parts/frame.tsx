/**
 * What is around every screen of the explorer and of a pool: brand, network, navigation, search, how fresh the page is,
 * notices and a foot. It shows when the server of the page does not answer.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { KeyHelp } from '../app/keys.tsx';
import { HOME, href } from '../app/router.ts';
import { clockTime } from '../format/times.ts';

export interface FrameOptions {
  /** The name of the node or pool that serves the page. */
  readonly brand: string;
  readonly server: 'node' | 'pool';
  readonly network: string | undefined;
  /** The name of each screen, and its path; the first screen has none. */
  readonly links: readonly (readonly [name: string, path: string])[];
  /** The path of the link that the present screen belongs to. */
  readonly here: string;
  readonly search: ComponentChildren;
  /** Since when the server does not answer, if it does not. */
  readonly lostMillis: number | undefined;
  /** How fresh the page is while the server answers. */
  readonly freshness: ComponentChildren;
  readonly notices?: ComponentChildren;
  readonly foot: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Frame(options: FrameOptions): JSX.Element {
  const { brand, server, network, lostMillis, notices, children } = options;
  useEffect(() => {
    document.body.dataset['fresh'] = String(lostMillis === undefined);
  }, [lostMillis]);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => showCurrent(nav.current), [options.here]);
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <header class="top">
        <div class="bar">
          <a class="brand" href={HOME} aria-label={`${brand}, overview`}>
            <Logo /> {brand}
          </a>
          {network === undefined ? null : (
            <span class={`network ${network === 'mainnet' ? '' : 'test'}`}>{network}</span>
          )}
          <nav ref={nav} aria-label="Screens">
            {options.links.map(([name, path]) => (
              <a
                key={name}
                href={path === '' ? HOME : href(path)}
                aria-current={path === options.here ? 'page' : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
          {options.search}
          {lostMillis === undefined ? options.freshness : <Stale sinceMillis={lostMillis} />}
        </div>
      </header>
      {lostMillis === undefined && notices === undefined ? null : (
        <div class="notices" role="status">
          {lostMillis === undefined ? null : (
            <p>
              The {server} has not answered since {clockTime(lostMillis)}. What you see is from
              then; the page tries again every second.
            </p>
          )}
          {notices}
        </div>
      )}
      <main id="main">{children}</main>
      <footer class="bottom">
        {options.foot}
        <KeyHelp />
        <span>Everything here came from this {server}; nothing is sent anywhere else.</span>
      </footer>
    </>
  );
}

/** Scrolls links that do not fit so that the one of the present screen is visible. */
function showCurrent(nav: HTMLElement | null): void {
  const link = nav?.querySelector('[aria-current]');
  if (nav === null || link === null || link === undefined) return;
  const [all, one] = [nav.getBoundingClientRect(), link.getBoundingClientRect()];
  nav.scrollBy(one.left + one.width / 2 - all.left - all.width / 2, 0);
}

/** A notice that nothing has arrived since a time. */
function Stale({ sinceMillis }: { sinceMillis: number }): JSX.Element {
  return (
    <span class="fresh lost" role="status">
      <i /> stale since {clockTime(sinceMillis)}
    </span>
  );
}

/** A mark that the page is live, with a pulse for each update. */
export function Live({ beat }: { beat: string | number | undefined }): JSX.Element {
  return (
    <span class="fresh live" role="status">
      <i key={beat} /> live
    </span>
  );
}

export function Connecting(): JSX.Element {
  return (
    <span class="fresh" role="status">
      <i /> connecting
    </span>
  );
}

function Logo(): JSX.Element {
  return (
    <svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
      <rect width="16" height="16" rx="4" fill="#0f766e" />
      <path d="M3 6h10M3 10h10" stroke="#fff" stroke-width="1.6" stroke-linecap="round" />
      <path d="M10.5 3l-5 10" stroke="#5eead4" stroke-width="1.6" stroke-linecap="round" />
    </svg>
  );
}
