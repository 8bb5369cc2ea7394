/**
 * The frame of a pool's page, and the screen that the address names.
 */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { KeyHelp } from '../app/keys.tsx';
import { HOME, href, navigate, segments } from '../app/router.ts';
import { shownText } from '../format/shown-text.ts';
import { clockTime } from '../format/times.ts';
import { Connecting, Frame, Live, NavLink, Stale } from '../parts/frame.tsx';
import { Screen } from '../parts/layout.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { PoolBlocksScreen, PoolPayoutsScreen, PoolRoundsScreen } from './books-screens.tsx';
import { MinerScreen } from './miner-screen.tsx';
import { PoolScreen } from './pool-screen.tsx';
import { lostMillis, pulse, statistics } from './pulse.ts';

const LINKS: readonly (readonly [string, string])[] = [
  ['Pool', ''],
  ['Blocks', 'blocks'],
  ['Rounds', 'rounds'],
  ['Payouts', 'payouts'],
];

/** An address is what a miner names; whether the pool knows it is said by the screen. */
async function findMiner(text: string): Promise<string | undefined> {
  const address = text.trim().toLowerCase();
  return /^[a-z0-9]{8,90}$/.test(address) ? href('miner', address) : undefined;
}

export function PoolApp({ asked }: { asked: string | undefined }): JSX.Element {
  const lost = lostMillis.value;
  useEffect(() => {
    document.body.dataset['fresh'] = String(lost === undefined);
  }, [lost]);
  useEffect(() => {
    if (asked !== undefined) navigate(asked);
  }, [asked]);
  const { pool, network } = statistics.value ?? {};
  const [here = ''] = segments.value;
  return (
    <Frame
      brand={pool === undefined ? 'svc pool' : shownText(pool.name)}
      network={network}
      links={LINKS.map(([name, path]) => (
        <NavLink key={name} href={path === '' ? HOME : href(path)} isHere={here === path}>
          {name}
        </NavLink>
      ))}
      search={
        <SearchBox
          placeholder="Your address"
          label="Search: the address of a miner"
          find={findMiner}
        />
      }
      freshness={
        lost !== undefined ? (
          <Stale sinceMillis={lost} />
        ) : pool === undefined ? (
          <Connecting />
        ) : (
          <Live beat={pulse.value} />
        )
      }
      notices={
        lost === undefined
          ? []
          : [
              <p key="lost">
                The pool has not answered since {clockTime(lost)}. What you see is from then; the
                page tries again every second.
              </p>,
            ]
      }
      foot={
        <>
          <a href="/v1/stats">Statistics</a>
          {pool?.explorer === null || pool === undefined ? null : (
            <a href={pool.explorer} rel="noreferrer">
              Explorer
            </a>
          )}
          <KeyHelp />
          <span>Everything here came from this pool; nothing is sent anywhere else.</span>
        </>
      }
    >
      {screenOf(segments.value)}
    </Frame>
  );
}

function screenOf([name = '', argument = '']: readonly string[]): JSX.Element {
  if (name === '') return <PoolScreen />;
  if (name === 'blocks') return <PoolBlocksScreen />;
  if (name === 'rounds') return <PoolRoundsScreen />;
  if (name === 'payouts') return <PoolPayoutsScreen />;
  if (name === 'miner' && argument !== '')
    return <MinerScreen key={argument} address={argument.trim().toLowerCase()} />;
  return (
    <Screen title="Nothing here has that name">
      <p class="lead">There is no screen of this name at this pool.</p>
    </Screen>
  );
}
