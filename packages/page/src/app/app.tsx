/**
 * What is around every screen: name, network, navigation, search, and how fresh the page is.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { connection, headHeight, network, notice, sync } from '../data/live.ts';
import { whole } from '../format/figures.ts';
import { clockTime } from '../format/times.ts';
import { KeyHelp } from './keys.tsx';
import { BASE, href, segments } from './router.ts';
import { screenOf } from './screens.tsx';
import { Search } from './search.tsx';

const LINKS: readonly (readonly [string, string])[] = [
  ['Overview', ''],
  ['Cuts', 'cuts'],
  ['Mempool', 'mempool'],
  ['Validators', 'validators'],
  ['Economics', 'economics'],
  ['Node', 'node'],
  ['Verify', 'verify'],
  ['Tools', 'tools'],
  ['API', 'api'],
];

export function App(): JSX.Element {
  useEffect(() => {
    document.body.dataset['fresh'] = String(connection.value.state !== 'lost');
  }, [connection.value]);
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <header class="top">
        <div class="bar">
          <a class="brand" href={BASE} aria-label="svc, overview">
            <Logo /> svc
          </a>
          <Network />
          <nav aria-label="Screens">
            {LINKS.map(([name, path]) => (
              <NavLink key={name} path={path}>
                {name}
              </NavLink>
            ))}
            {network.value === undefined || network.value === 'mainnet' ? null : (
              <NavLink path="wallet">Wallet</NavLink>
            )}
            {network.value === 'development' ? <NavLink path="dev">Desk</NavLink> : null}
          </nav>
          <Search />
          <Freshness />
        </div>
      </header>
      <Notices />
      <main id="main">{screenOf(segments.value)}</main>
      <footer class="bottom">
        <a href="/">Routes</a>
        <a href="/openapi.json">OpenAPI</a>
        <a href="/asyncapi.json">AsyncAPI</a>
        <KeyHelp />
        <span>Everything here came from this node; nothing is sent anywhere else.</span>
      </footer>
    </>
  );
}

function NavLink({ path, children }: { path: string; children: ComponentChildren }): JSX.Element {
  const [current = ''] = segments.value;
  const group: Readonly<Record<string, string>> = {
    cut: 'cuts',
    block: 'cuts',
    validator: 'validators',
  };
  const isHere = (group[current] ?? current) === path;
  return (
    <a href={path === '' ? BASE : href(path)} aria-current={isHere ? 'page' : undefined}>
      {children}
    </a>
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

function Network(): JSX.Element | null {
  if (network.value === undefined) return null;
  return (
    <span class={`network ${network.value === 'mainnet' ? '' : 'test'}`}>{network.value}</span>
  );
}

/** Live, catching up, or stale since a time that is named. */
function Freshness(): JSX.Element {
  const state = connection.value;
  const behind = sync.value?.behind_by ?? 0;
  if (state.state === 'lost') {
    return (
      <span class="fresh lost" role="status">
        <i /> stale since {clockTime(state.sinceMillis)}
      </span>
    );
  }
  if (state.state === 'connecting') {
    return (
      <span class="fresh" role="status">
        <i /> connecting
      </span>
    );
  }
  if (sync.value !== undefined && !sync.value.synced && behind > 0) {
    return (
      <span class="fresh behind" role="status">
        <i /> {whole(behind)} cuts behind
      </span>
    );
  }
  return (
    <span class="fresh live" role="status">
      <i key={headHeight.value} /> live
    </span>
  );
}

function Notices(): JSX.Element | null {
  const lost = connection.value.state === 'lost' ? connection.value : undefined;
  const told = notice.value;
  if (lost === undefined && told === undefined) return null;
  return (
    <div class="notices" role="status">
      {lost === undefined ? null : (
        <p>
          The node has not answered since {clockTime(lost.sinceMillis)}. What you see is from then;
          the page tries again every second.
        </p>
      )}
      {told === undefined ? null : (
        <p>
          {told}{' '}
          <button
            type="button"
            onClick={() => {
              notice.value = undefined;
            }}
          >
            Understood
          </button>
        </p>
      )}
    </div>
  );
}
