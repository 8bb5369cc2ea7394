/**
 * The page: begins to follow the chain and shows the screen that the address names.
 */
import { render } from 'preact';
import { App } from './app/app.tsx';
import { startRouter } from './app/router.ts';
import { startLive } from './data/live.ts';

startRouter();
startLive();
const place = document.getElementById('app') as HTMLElement;
place.textContent = '';
render(<App />, place);
