/**
 * The explorer: the frame with its links, and the screen that the address names.
 */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { connection, headHeight, network, notice, sync } from '../data/live.ts';
import { whole } from '../format/figures.ts';
import { clockTime } from '../format/times.ts';
import { Connecting, Frame, Live, NavLink, Stale } from '../parts/frame.tsx';
import { KeyHelp } from './keys.tsx';
import { HOME, href, segments } from './router.ts';
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
    <Frame
      brand="svc"
      network={network.value}
      links={<Links />}
      search={<Search />}
      freshness={<Freshness />}
      notices={noticesNow()}
      foot={
        <>
          <a href="/">Routes</a>
          <a href="/openapi.json">OpenAPI</a>
          <a href="/asyncapi.json">AsyncAPI</a>
          <KeyHelp />
          <span>Everything here came from this node; nothing is sent anywhere else.</span>
        </>
      }
    >
      {screenOf(segments.value)}
    </Frame>
  );
}

/** Screens that are reached from others stand under those. */
const GROUPS: Readonly<Record<string, string>> = {
  cut: 'cuts',
  block: 'cuts',
  validator: 'validators',
};

function Links(): JSX.Element {
  const [current = ''] = segments.value;
  const here = GROUPS[current] ?? current;
  const isKnown = network.value !== undefined;
  const links = [
    ...LINKS,
    ...(isKnown && network.value !== 'mainnet' ? [['Wallet', 'wallet'] as const] : []),
    ...(network.value === 'development' ? [['Desk', 'dev'] as const] : []),
  ];
  return (
    <>
      {links.map(([name, path]) => (
        <NavLink key={name} href={path === '' ? HOME : href(path)} isHere={here === path}>
          {name}
        </NavLink>
      ))}
    </>
  );
}

/** Live, catching up, or stale since a time that is named. */
function Freshness(): JSX.Element {
  const state = connection.value;
  const behind = sync.value?.behind_by ?? 0;
  if (state.state === 'lost') return <Stale sinceMillis={state.sinceMillis} />;
  if (state.state === 'connecting') return <Connecting />;
  if (sync.value !== undefined && !sync.value.synced && behind > 0) {
    return (
      <span class="fresh behind" role="status">
        <i /> {whole(behind)} cuts behind
      </span>
    );
  }
  return <Live beat={headHeight.value} />;
}

function noticesNow(): JSX.Element[] {
  const lost = connection.value.state === 'lost' ? connection.value : undefined;
  const told = notice.value;
  const notices: JSX.Element[] = [];
  if (lost !== undefined)
    notices.push(
      <p key="lost">
        The node has not answered since {clockTime(lost.sinceMillis)}. What you see is from then;
        the page tries again every second.
      </p>,
    );
  if (told !== undefined)
    notices.push(
      <p key="told">
        {told}{' '}
        <button
          type="button"
          onClick={() => {
            notice.value = undefined;
          }}
        >
          Understood
        </button>
      </p>,
    );
  return notices;
}
