/**
 * The explorer: the frame with its links, and the screen that the address names.
 */
import type { JSX } from 'preact';
import { connection, headHeight, network, notice, sync } from '../data/live.ts';
import { whole } from '../format/figures.ts';
import { Connecting, Frame, Live } from '../parts/frame.tsx';
import { segments } from './router.ts';
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

/** Screens that are reached from others belong to the link of those. */
const GROUPS: Readonly<Record<string, string>> = {
  cut: 'cuts',
  block: 'cuts',
  validator: 'validators',
};

export function App(): JSX.Element {
  const [screen = ''] = segments.value;
  const state = connection.value;
  return (
    <Frame
      brand="svc"
      server="node"
      network={network.value}
      links={linksOf(network.value)}
      here={GROUPS[screen] ?? screen}
      search={<Search />}
      lostMillis={state.state === 'lost' ? state.sinceMillis : undefined}
      freshness={<Freshness />}
      notices={notice.value === undefined ? undefined : <Notice text={notice.value} />}
      foot={
        <>
          <a href="/">Routes</a>
          <a href="/openapi.json">OpenAPI</a>
          <a href="/asyncapi.json">AsyncAPI</a>
        </>
      }
    >
      {screenOf(segments.value)}
    </Frame>
  );
}

/** Mainnet has no wallet here, and only a development network has a desk. */
function linksOf(name: string | undefined): readonly (readonly [string, string])[] {
  return [
    ...LINKS,
    ...(name !== undefined && name !== 'mainnet' ? [['Wallet', 'wallet'] as const] : []),
    ...(name === 'development' ? [['Desk', 'dev'] as const] : []),
  ];
}

/** Connecting, catching up, or live. */
function Freshness(): JSX.Element {
  const behind = sync.value?.behind_by ?? 0;
  if (connection.value.state === 'connecting') return <Connecting />;
  if (sync.value !== undefined && !sync.value.synced && behind > 0) {
    return (
      <span class="fresh behind" role="status">
        <i /> {whole(behind)} cuts behind
      </span>
    );
  }
  return <Live beat={headHeight.value} />;
}

/** What the page noticed about the chain, until its reader has read it. */
function Notice({ text }: { text: string }): JSX.Element {
  return (
    <p>
      {text}{' '}
      <button
        type="button"
        onClick={() => {
          notice.value = undefined;
        }}
      >
        Understood
      </button>
    </p>
  );
}
