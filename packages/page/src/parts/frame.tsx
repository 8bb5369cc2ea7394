/**
 * What is around every screen of the explorer and of a pool: brand, network, navigation, search, how fresh the page is,
 * notices and a foot.
 */
import type { ComponentChildren, JSX } from 'preact';
import { HOME } from '../app/router.ts';
import { clockTime } from '../format/times.ts';

export interface FrameOptions {
  /** Of who serves the page. */
  readonly brand: string;
  readonly network: string | undefined;
  readonly links: ComponentChildren;
  readonly search: ComponentChildren;
  readonly freshness: ComponentChildren;
  readonly notices: readonly ComponentChildren[];
  readonly foot: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Frame(options: FrameOptions): JSX.Element {
  const { brand, network, links, search, freshness, notices, foot, children } = options;
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
          <nav aria-label="Screens">{links}</nav>
          {search}
          {freshness}
        </div>
      </header>
      {notices.length === 0 ? null : (
        <div class="notices" role="status">
          {notices}
        </div>
      )}
      <main id="main">{children}</main>
      <footer class="bottom">{foot}</footer>
    </>
  );
}

export function NavLink(props: {
  href: string;
  isHere: boolean;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <a href={props.href} aria-current={props.isHere ? 'page' : undefined}>
      {props.children}
    </a>
  );
}

/** That nothing came since a time. */
export function Stale({ sinceMillis }: { sinceMillis: number }): JSX.Element {
  return (
    <span class="fresh lost" role="status">
      <i /> stale since {clockTime(sinceMillis)}
    </span>
  );
}

/** That the page shows what is so now; one beat for each piece of news. */
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
