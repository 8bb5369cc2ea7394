/**
 * The pages for miners: how to connect, what the pool does, and what it owes an address. They need no scripts and
 * read themselves again.
 */
import type {
  BlockReport,
  BooksTotals,
  MinerReport,
  PayoutReport,
  RoundReport,
} from '../books/read-books.ts';
import type { HistoryStep } from '../books/work-history.ts';
import { historyCharts } from './charts.ts';
import { coins, percent, rate } from './format.ts';
import { Html, html, list } from './html.ts';

export interface FrontPage {
  readonly name: string;
  readonly network: string;
  readonly poolAddress: string;
  readonly feeBasisPoints: bigint;
  readonly windowBlocks: bigint;
  readonly threshold: bigint;
  readonly paysOut: boolean;
  readonly nodeState: string;
  readonly hashrate: number;
  readonly connections: Readonly<Record<'pplns' | 'solo', number>>;
  /** Addresses to connect to, as the listeners have them. */
  readonly urls: Readonly<Record<'pplns' | 'solo', readonly string[]>>;
  readonly history: readonly HistoryStep[];
  readonly totals: BooksTotals;
  readonly blocks: readonly BlockReport[];
  readonly rounds: readonly RoundReport[];
  readonly payouts: readonly PayoutReport[];
}

const REFRESH_SECONDS = 30;

export const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1,h2{line-height:1.2}table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}th,td{text-align:left;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #ddd;vertical-align:top}
code{font:.85em ui-monospace,monospace;overflow-wrap:anywhere}input{font:inherit;width:32rem;max-width:100%}.bad{color:#a00}
td{overflow-wrap:anywhere}figure{margin:1rem 0 1.5rem}svg{display:block;width:100%;height:8rem;border-bottom:1px solid #888}.bars{fill:#36c}
.line{fill:none;stroke:currentColor;stroke-width:2;vector-effect:non-scaling-stroke}.ends{display:flex;justify-content:space-between;margin:0;font-size:.85em}
@media(max-width:30rem){table{font-size:.8em}th,td{padding-right:.35rem}}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}th,td{border-color:#444}a{color:#8bf}.bad{color:#f88}.bars{fill:#69f}}
`;

export function frontPage(page: FrontPage): string {
  const { totals, connections, urls, blocks, rounds, payouts } = page;
  const ways = (['pplns', 'solo'] as const).filter((mode) => urls[mode].length > 0);
  return document(
    page.name,
    html`<h1>${page.name}</h1>
<p>A pool of the ${page.network} network. Its node is ${page.nodeState}.</p>
<form action="/miner" method="get"><label>Your address <input name="address" maxlength="90" required></label> <button>Show</button></form>
<h2>Connect</h2>
${ways.map((mode) => connectTable(mode, urls[mode]))}
<p>The user name is <code>&lt;address&gt;.&lt;worker&gt;</code>. Fee: ${percent(page.feeBasisPoints)}. With PPLNS a block is shared by the work of the last ${page.windowBlocks} blocks; alone, a block is its finder's.
${page.paysOut ? html`From ${coins(page.threshold)} on a balance is paid; the fee of the payment comes out of it.` : html`<strong class="bad">This pool does not pay by itself.</strong>`}</p>
<h2>Now</h2>
${table([
  ['hash rate', rate(page.hashrate)],
  ['connections', `${connections.pplns} PPLNS, ${connections.solo} alone`],
  [
    'blocks',
    `${totals.blocks.found} wait, ${totals.blocks.paid} paid, ${totals.blocks.expired} expired`,
  ],
  ['rounds', String(totals.rounds)],
  ['owed to miners', coins(totals.balances)],
  ['pool address', page.poolAddress],
])}
<h2>The last day</h2>
${historyCharts(page.history)}
<h2>Blocks</h2>
${list(
  ['block', 'mode', 'found by', 'height', 'state', 'round'],
  blocks.map((block) => [
    code(block.blockId.slice(0, 16)),
    block.mode,
    html`${minerLink(block.address)} ${block.worker}`,
    String(block.anchorHeight),
    block.state,
    block.round === null ? '' : roundLink(block.round),
  ]),
)}
<h2>Rounds</h2>
${list(
  ['round', 'block', 'paid at', 'root'],
  rounds.map(({ round, blockId, paidHeight, root }) => [
    roundLink(round),
    code(blockId.slice(0, 16)),
    String(paidHeight),
    code(root.slice(0, 16)),
  ]),
)}
<h2>Payouts</h2>
${payoutTable(payouts)}`,
  );
}

export function minerPage(
  name: string,
  miner: MinerReport,
  rates: ReadonlyMap<string, number>,
  history: readonly HistoryStep[],
): string {
  return document(
    `${miner.address} at ${name}`,
    html`<p><a href="/">${name}</a></p><h1>Miner</h1><p><code>${miner.address}</code></p>
${table([
  ['balance', coins(miner.balance)],
  ['earned', coins(miner.earned)],
])}
${miner.held === null ? html`` : html`<p class="bad">This address is not paid: ${miner.held}</p>`}
<h2>The last day</h2>
${historyCharts(history)}
<h2>Workers</h2>
${list(
  ['worker', 'hash rate', 'shares', 'work', 'last share'],
  miner.workers.map(({ worker, shares, work, lastShareMillis }) => [
    worker,
    rate(rates.get(worker) ?? 0),
    String(shares),
    String(work),
    new Date(lastShareMillis).toISOString(),
  ]),
)}
<h2>Payouts</h2>
${payoutTable(miner.payouts)}`,
  );
}

export function messagePage(name: string, message: string): string {
  return document(name, html`<p><a href="/">${name}</a></p><p>${message}</p>`);
}

function connectTable(mode: 'pplns' | 'solo', urls: readonly string[]): Html {
  const words = mode === 'pplns' ? 'together (PPLNS)' : 'alone (solo)';
  return list(
    [words],
    urls.map((url) => [code(`svc-miner --url ${url} --user <address>.<worker>`)]),
  );
}

function payoutTable(payouts: readonly PayoutReport[]): Html {
  return list(
    ['payout', 'amount', 'state', 'transaction', 'carries the root of'],
    payouts.map(({ payout, atoms, state, transaction, round }) => [
      String(payout),
      coins(atoms),
      state,
      code(transaction ?? ''),
      roundLink(round),
    ]),
  );
}

function document(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${REFRESH_SECONDS}"><title>${title}</title><link rel="stylesheet" href="/style.css"></head>
<body><main>${body}</main></body></html>
`.text;
}

function table(rows: readonly (readonly [string, string])[]): Html {
  return html`<table>${rows.map(([name, value]) => html`<tr><th>${name}</th><td>${value}</td></tr>`)}</table>`;
}

function code(text: string): Html {
  return html`<code>${text}</code>`;
}

function minerLink(address: string): Html {
  return html`<a href="/miner?address=${address}"><code>${address.slice(0, 16)}…</code></a>`;
}

function roundLink(round: number): Html {
  return round < 1 ? new Html('') : html`<a href="/v1/rounds/${round}">${round}</a>`;
}
