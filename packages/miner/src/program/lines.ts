/**
 * The lines that a miner prints, in the usual form of miners: one line an event, figures in columns. Without a
 * terminal the same lines come without colours. Text of servers is made harmless.
 */
import { printable, styled } from 'svc-base/cli';
import type { SourceEvent } from '../sources/work-source.ts';
import type { DeviceEvent } from './miner.ts';
import type { Statistics, StatisticsDocument } from './statistics.ts';

const UNITS = ['H/s', 'kH/s', 'MH/s', 'GH/s', 'TH/s'] as const;

/** `12.3 MH/s`; `n/a` until the window has passed. */
export function rateText(rate: number | null): string {
  if (rate === null) return 'n/a';
  let value = rate;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${value.toFixed(unit === 0 ? 0 : 2)} ${UNITS[unit]}`;
}

/** Undefined for events that need no line. */
export function lineOf(
  event: SourceEvent | DeviceEvent,
  statistics: Statistics,
): string | undefined {
  switch (event.type) {
    case 'connecting':
      return `${tag('net')} connecting to ${printable(event.server)}`;
    case 'open':
      return `${tag('net')} ${styled('green', 'connected')} to ${printable(event.server)}`;
    case 'lost': {
      const wait = event.retryMillis === 0 ? '' : `, again in ${event.retryMillis / 1_000} s`;
      return `${tag('net')} ${styled('red', 'no connection')} to ${printable(event.server)}: ${printable(event.reason)}${wait}`;
    }
    case 'work':
      if (event.work === undefined) return undefined;
      return `${tag('net')} ${styled('magenta', 'new job')} diff ${event.difficulty} height ${event.anchorHeight}`;
    case 'period':
      return `${tag('pow')} period ${event.period} is announced, with a dataset of its own`;
    case 'answer':
      return answerLine(event, statistics);
    case 'given_up':
      return `${tag('net')} ${styled('yellow', 'a share was given up')}: its server gave out other work`;
    case 'crowded':
      return undefined;
    case 'show':
      return `${tag('net')} the server says: ${printable(event.text)}`;
    case 'device':
      return deviceLine(event);
    default:
      return event satisfies never;
  }
}

/** The rates, as key `h` and a line a minute show them. */
export function speedLine({ hashrate, devices }: StatisticsDocument): string {
  const [short, middle, long] = hashrate.total.map(rateText);
  const total = `${tag('miner')} speed 10s/60s/15m ${short} ${middle} ${long} max ${rateText(hashrate.highest)}`;
  if (devices.length < 2) return total;
  const rows = devices.map(({ id, hashrate: own }) => `${id} ${rateText(own[0])}`);
  return `${total} (${rows.join(', ')})`;
}

function answerLine(
  event: SourceEvent & { readonly type: 'answer' },
  statistics: Statistics,
): string {
  const counts = `(${statistics.accepted}/${statistics.refused})`;
  const latency = `(${Math.round(event.millis)} ms)`;
  if (!event.isAccepted) {
    const reason = printable(event.message ?? event.refusal ?? 'no reason given');
    return `${tag('net')} ${styled('red', 'refused')} ${counts} ${reason} ${latency}`;
  }
  const block =
    event.block === undefined ? '' : ` ${styled('green', `block ${printable(event.block)}`)}`;
  return `${tag('net')} ${styled('green', 'accepted')} ${counts} diff ${event.difficulty}${block} ${latency}`;
}

function deviceLine({ device, state, progress, reason }: DeviceEvent): string | undefined {
  switch (state) {
    case 'preparing':
      return progress === 0 ? `${tag('pow')} ${device} gets its dataset` : undefined;
    case 'failed':
      return `${tag('miner')} ${styled('red', `${device} failed`)}: ${printable(reason ?? '')}`;
    case 'searching':
      return `${tag('miner')} ${device} ${styled('green', 'searches')}`;
    case 'paused':
      return `${tag('miner')} ${device} rests`;
    default:
      return undefined;
  }
}

function tag(name: string): string {
  return styled('cyan', name.padEnd(6));
}
