/**
 * A development network from start to end.
 */
import { spawn } from 'node:child_process';
import { columns, note, resultJson, styled } from 'svc-base/cli';
import { letOutsideMemoryGrow, replaceFileSync } from 'svc-base/node';
import { init } from 'svc-wasm';
import { formatBind } from '../../config/bind.ts';
import type { LogConfig } from '../../config/node-config.ts';
import type { DevOptions } from '../../dev/dev-config.ts';
import type { DevFacts, DevNetwork } from '../../dev/dev-network.ts';
import type { DevMiningFacts } from '../../dev/programs.ts';
import { NodeMetrics } from '../../metrics/node-metrics.ts';
import { VERSION } from '../../version.ts';
import { type Life, live, openLog, type Service } from '../run/lifecycle.ts';

const WARNING = 'These keys are public. Whoever sends anything of value to them loses it.';

/**
 * What `svcd dev` tells people, and programs.
 */
function banner(facts: DevFacts, seconds: number, hasKeys: boolean): string {
  const { accounts, words } = facts;
  const lists = accounts.map(({ index, address, balance }) => [`(${index})`, address, balance]);
  const keys = hasKeys
    ? `; press ${facts.hasPage ? 'o for the explorer, ' : ''}m to mine, e for the next epoch, s for a snapshot, q to quit`
    : '';
  return [
    '',
    styled('bold', `svc development network: ${pace(facts)}`),
    '',
    columns(places(facts)),
    '',
    styled('yellow', WARNING),
    columns(lists),
    `words  ${words}`,
    styled('yellow', WARNING),
    '',
    `ready in ${seconds.toFixed(1)} s${keys}`,
    '',
  ].join('\n');
}

/** The same facts for programs: `--json` and `--config-out`. */
function factsDocument(facts: DevFacts): object {
  const { http, mining, wallet, miners } = facts;
  return {
    network: 'development',
    chain_id: facts.chainId,
    trust_anchor: facts.trustAnchor,
    validators: facts.validators,
    cut_time: facts.cutTime,
    epoch_cuts: facts.epochCuts,
    explorer_url: facts.hasPage ? `http://${formatBind(http)}/ui` : null,
    api_url: `http://${formatBind(http)}`,
    control_url: `http://${formatBind(http)}/v1/dev`,
    mining_url: `http://${formatBind(mining)}`,
    wallet_url: wallet === null ? null : `http://${formatBind(wallet.bind)}`,
    wallet_token_file: wallet?.tokenFile ?? null,
    bridge_url: miners === null ? null : bridgeUrl(miners),
    bridge_ws_url: miners === null ? null : `ws://${formatBind(miners.webSocket)}/`,
    state_dir: facts.stateDir,
    words: facts.words,
    accounts: facts.accounts,
  };
}

function pace({ validators, cutTime, epochCuts }: DevFacts): string {
  const times = { auto: 'cuts as fast as possible', manual: 'cuts when told' };
  const cuts = typeof cutTime === 'number' ? `a cut every ${cutTime} ms` : times[cutTime];
  return `${validators} validators, ${cuts}, epochs of ${epochCuts} cuts`;
}

function bridgeUrl({ bridge }: DevMiningFacts): string {
  return `svc+tcp://${formatBind(bridge)}`;
}

function places({ http, hasPage, mining, wallet, miners, stateDir }: DevFacts): string[][] {
  return [
    ...(hasPage ? [['explorer', `http://${formatBind(http)}/ui`]] : []),
    ['api', `http://${formatBind(http)}`],
    ['control', `http://${formatBind(http)}/v1/dev`],
    ['mining', `http://${formatBind(mining)}`],
    ...(wallet === null
      ? []
      : [
          ['wallet', `http://${formatBind(wallet.bind)}`],
          ['token', wallet.tokenFile],
        ]),
    ...(miners === null
      ? []
      : [
          ['bridge', `${bridgeUrl(miners)}, for pages ws://${formatBind(miners.webSocket)}/`],
          ['mine', `svc-miner --url ${bridgeUrl(miners)} --user <address>.<name>`],
        ]),
    ['state', stateDir ?? 'gone when it ends; keep it with --state DIRECTORY'],
  ];
}

const INTERRUPT = '\u0003';

/** Whether there is a terminal to read keys from. */
function hasKeyboard(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Acts on keys from now on. Returns a function that stops reading them. */
function listenToKeys(network: DevNetwork): () => void {
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

interface ServeDevOptions {
  readonly log: LogConfig;
  /** A file for the facts, as JSON. */
  readonly configOut: string | null;
  readonly json: boolean;
  readonly startedAt: number;
}

export async function serveDev(options: DevOptions, telling: ServeDevOptions): Promise<never> {
  letOutsideMemoryGrow();
  const { readTablesUnmapped } = await import('svc-storage');
  readTablesUnmapped();
  await init();
  const nodeLog = await openLog(telling.log);
  return live(nodeLog, async (life) => {
    const network = await start(options, life);
    tell(network, telling);
    const stopKeys = hasKeyboard() ? listenToKeys(network) : () => {};
    return closing(network, stopKeys);
  });
}

async function start(options: DevOptions, { log, onFatal }: Life): Promise<DevNetwork> {
  const version = VERSION;
  const metrics = new NodeMetrics({ version, network: 'development', validator: true });
  const { startDevNetwork } = await import('../../dev/index.ts');
  return startDevNetwork(options, { log, metrics, version, onFatal });
}

function tell(network: DevNetwork, { configOut, json, startedAt }: ServeDevOptions): void {
  const { facts, firstCut } = network;
  const document = factsDocument(facts);
  if (configOut !== null)
    replaceFileSync(
      configOut,
      `${JSON.stringify(document, null, 2)}
`,
    );
  if (json) resultJson(document);
  note(banner(facts, (performance.now() - startedAt) / 1_000, hasKeyboard()));
  void firstCut.then((height) => note(`cut ${height} is final`));
}

function closing(network: DevNetwork, stopKeys: () => void): Service {
  return {
    async close() {
      stopKeys();
      const { stateDir } = network.facts;
      note(stateDir === null ? 'stopping …' : `stopping; the state is kept in ${stateDir} …`);
      await network.close();
      note('stopped');
    },
  };
}
