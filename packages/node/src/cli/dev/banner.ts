/**
 * What `svcd dev` tells people, and programs.
 */
import { columns, styled } from 'svc-base/cli';
import { formatBind } from '../../config/bind.ts';
import type { DevFacts } from '../../dev/dev-facts.ts';
import type { DevMiningFacts } from '../../dev/dev-mining.ts';

const WARNING = 'These keys are public. Whoever sends anything of value to them loses it.';

export function banner(facts: DevFacts, seconds: number, hasKeys: boolean): string {
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
export function factsDocument(facts: DevFacts): object {
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
