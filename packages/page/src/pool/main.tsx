/**
 * The page of a pool: the screens of its miners, made of the parts of the explorer.
 */
import { render } from 'preact';
import { href, redirect, startRouter } from '../app/router.ts';
import { startNow } from '../data/now.ts';
import { PoolApp } from './pool-app.tsx';
import { startPulse } from './pulse.ts';

/** Links from before the page had screens name the address of a miner after a question mark. */
const asked = new URLSearchParams(location.search).get('address');
if (asked !== null) redirect(href('miner', asked));
startRouter();
startNow();
startPulse();
const place = document.getElementById('app') as HTMLElement;
place.textContent = '';
render(<PoolApp />, place);
