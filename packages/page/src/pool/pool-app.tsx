/**
 * The frame of a pool's page, and the screen that the address names.
 */
import type { JSX } from 'preact';
import { href, segments } from '../app/router.ts';
import { shownText } from '../format/shown-text.ts';
import { Connecting, Frame, Live } from '../parts/frame.tsx';
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

/** Miners are found by address; the screen shows whether the pool knows it. */
async function findMiner(text: string): Promise<string | undefined> {
  const address = text.trim().toLowerCase();
  return /^[a-z0-9]{8,90}$/.test(address) ? href('miner', address) : undefined;
}

export function PoolApp(): JSX.Element {
  const { pool, network } = statistics.value ?? {};
  const explorer = pool?.explorer ?? null;
  const [here = ''] = segments.value;
  return (
    <Frame
      brand={pool === undefined ? 'svc pool' : shownText(pool.name)}
      server="pool"
      network={network}
      links={LINKS}
      here={here}
      search={
        <SearchBox
          placeholder="Your address"
          label="Search: the address of a miner"
          find={findMiner}
        />
      }
      lostMillis={lostMillis.value}
      freshness={pool === undefined ? <Connecting /> : <Live beat={pulse.value} />}
      foot={
        <>
          <a href="/v1/stats">Statistics</a>
          {explorer === null ? null : (
            <a href={explorer} rel="noreferrer">
              Explorer
            </a>
          )}
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
