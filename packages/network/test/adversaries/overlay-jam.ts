/**
 * Silent sockets of four ranges at the ports between validators, while four members look for each other: once from
 * addresses that the members' routes name, once from an unknown one.
 */
import type { TestEnd } from 'svc-base/testing';
import { decodeOverlayEndpoint, encodeOverlayEndpoint } from '../../src/overlay/endpoint.ts';
import { occupy } from '../testing/silent-sockets.ts';
import { Committee } from '../testing/validators.ts';
import { type Adversary, closing, secondsUntil, took } from './finding.ts';

const RANGES = [1, 2, 3, 4];
const SOCKETS_PER_RANGE = 16;
const MEMBERS = 4;
const LINKS = MEMBERS * (MEMBERS - 1);
const SECONDS_MAX = 60;
/** Who connects to it on this machine does so from 127.0.0.1. */
const ELSEWHERE = '127.0.0.2';

interface Links {
  readonly made: number;
  readonly seconds: number | undefined;
  readonly connected: number;
}

export const overlayJam: Adversary = (size) => jam(size, '127.0.0.1');
export const overlayJamOfStrangers: Adversary = (size) => jam(size, ELSEWHERE);

async function jam(size: number, host: string): Promise<Awaited<ReturnType<Adversary>>> {
  const alone = await closing((t) => links(t, host, 0));
  const sockets = size * SOCKETS_PER_RANGE;
  const beside = await closing((t) => links(t, host, sockets));
  const perPort = sockets * RANGES.length;
  return {
    alone: text(alone),
    beside: text(beside),
    attacker: `${beside.connected} connections, ${perPort} at a time at each port`,
    demand: `all links within ${SECONDS_MAX} s`,
    holds: beside.seconds !== undefined,
  };
}

async function links(t: TestEnd, host: string, sockets: number): Promise<Links> {
  const reaches = Array.from({ length: MEMBERS }, () => 'routed' as const);
  const committee = await Committee.start(t, 'jam', reaches, { listen: [`/ip4/${host}/tcp/0`] });
  for (const seat of committee.seats) {
    const { keyHash, routes } = decodeOverlayEndpoint(seat.endpoint);
    seat.endpoint = encodeOverlayEndpoint({
      keyHash,
      routes: routes.map((route) => ({ ...route, host })),
    });
  }
  const occupations = [];
  for (const { overlay } of sockets === 0 ? [] : committee.seats)
    for (const port of overlay.ports)
      for (const range of RANGES)
        occupations.push(await occupy(t, port, `127.9.${range}.1`, sockets, host));
  committee.convene();
  const made = (): number => committee.linkCounts().reduce((sum, count) => sum + count, 0);
  const seconds = await secondsUntil(() => made() === LINKS, SECONDS_MAX);
  const connected = occupations.reduce((sum, occupation) => sum + occupation.connected, 0);
  return { made: made(), seconds, connected };
}

function text({ made, seconds }: Links): string {
  return `${made} of ${LINKS} links ${took(seconds, SECONDS_MAX)}`;
}
