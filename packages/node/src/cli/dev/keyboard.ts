/**
 * Keys that steer a development network from its terminal.
 */
import { spawn } from 'node:child_process';
import { note } from 'svc-base/cli';
import { formatBind } from '../../config/bind.ts';
import type { DevNetwork } from '../../dev/dev-network.ts';

const INTERRUPT = '\u0003';

/** Whether there is a terminal to read keys from. */
export function hasKeyboard(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Acts on keys from now on. Returns a function that stops reading them. */
export function listenToKeys(network: DevNetwork): () => void {
  const { stdin } = process;
  const onKey = (key: string): void => {
    press(network, key).catch((error: unknown) => note(`that did not work: ${String(error)}`));
  };
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.on('data', onKey);
  return () => {
    stdin.off('data', onKey);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

/** Opens a page with the program that the system has for it; where there is none, tells the address. */
function openBrowser(url: string): void {
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(command, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => note(`open ${url} in a browser`));
  child.unref();
}

async function press(network: DevNetwork, key: string): Promise<void> {
  if (key === 'm') note(`cut ${await network.mine(1)}`);
  if (key === 'e') note(`next epoch, cut ${await network.advanceEpochs(1)}`);
  if (key === 's') note(`snapshot ${await network.snapshot()}`);
  if (key === 'o' && network.facts.hasPage)
    openBrowser(`http://${formatBind(network.facts.http)}/ui`);
  if (key === 'q' || key === INTERRUPT) process.kill(process.pid, 'SIGINT');
}
