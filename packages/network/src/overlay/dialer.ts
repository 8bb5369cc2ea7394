/**
 * Who is dialled when. Of two validators with routes the one with the lower id dials, and the other dials back after
 * a few seconds if no connection came. A validator without a route dials all that have one. A validator behind relays
 * dials these alone.
 */
import { connect, type Socket } from 'node:net';
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import type { SocketAddress } from '../base/addresses.ts';
import type { Traffic } from '../host/traffic.ts';
import { findRoute, type RouteRules } from './find-route.ts';
import { type Greeted, greet, type HandshakePorts } from './handshake.ts';
import type { Members } from './members.ts';
import { secureClient } from './secure-socket.ts';

export interface DialerOptions {
  readonly ports: HandshakePorts;
  readonly members: Members;
  readonly rules: () => RouteRules;
  readonly traffic: Traffic;
  readonly clock: Clock;
  readonly log: Log;
  readonly dialBackMillis: number;
  /** Relays of this validator; undefined to dial every validator with a route. */
  readonly relays: readonly string[] | undefined;
  readonly isLinked: (validatorId: string) => boolean;
  readonly onGreeted: (greeted: Greeted) => void;
}

const TICK_MILLIS = 250;
const CONNECT_MILLIS_MAX = 5_000;
const BACKOFF_MILLIS = 500;
/** Longest backoff for a route that never led to a validator: routes are untrusted. */
const BACKOFF_MILLIS_MAX = 60_000;
/** Longest backoff for a route that worked before: the peer is probably redialling too. */
const RETURN_MILLIS_MAX = 4_000;
const DIALS_MAX = 16;

interface DialState {
  /** When the last link ended. */
  apartSinceMillis: number;
  nextMillis: number;
  failures: number;
  isDialling: boolean;
  /** Whether there was a link since this node started. */
  wasLinked: boolean;
}

export class Dialer {
  readonly #options: DialerOptions;
  readonly #states = new Map<string, DialState>();
  #cancelTick: (() => void) | undefined;
  #isClosed = false;

  constructor(options: DialerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#tick();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTick?.();
  }

  /** Must be called when a link ends; a validator that misbehaved is dialled later than others. */
  parted(validatorId: string, isBlamed: boolean): void {
    const state = this.#stateOf(validatorId);
    state.apartSinceMillis = this.#options.clock.monotonic();
    if (!isBlamed) return;
    state.wasLinked = false;
    this.#delay(state);
  }

  linked(validatorId: string): void {
    const state = this.#stateOf(validatorId);
    state.failures = 0;
    state.wasLinked = true;
  }

  #tick(): void {
    if (this.#isClosed) return;
    const { members, clock } = this.#options;
    for (const id of this.#states.keys()) if (!members.has(id)) this.#states.delete(id);
    let dials = [...this.#states.values()].filter(({ isDialling }) => isDialling).length;
    for (const id of members.ids) {
      if (dials >= DIALS_MAX) break;
      if (!this.#isDue(id)) continue;
      dials++;
      void this.#dial(id);
    }
    this.#cancelTick = clock.after(TICK_MILLIS, () => this.#tick());
  }

  #isDue(validatorId: string): boolean {
    const { members, clock, isLinked, relays, ports, dialBackMillis } = this.#options;
    if (isLinked(validatorId) || members.routesOf(validatorId).length === 0) return false;
    if (relays !== undefined && !relays.includes(validatorId)) return false;
    const state = this.#stateOf(validatorId);
    const now = clock.monotonic();
    if (state.isDialling || now < state.nextMillis) return false;
    const isOthersTurn = members.isOwnRouted && validatorId < ports.own.validatorId;
    return !isOthersTurn || now - state.apartSinceMillis >= dialBackMillis;
  }

  async #dial(validatorId: string): Promise<void> {
    const { members, rules, log, ports, onGreeted } = this.#options;
    const state = this.#stateOf(validatorId);
    state.isDialling = true;
    try {
      for (const route of members.routesOf(validatorId)) {
        for (const address of await findRoute(route, rules())) {
          const socket = await this.#connect(address).catch(() => undefined);
          if (socket === undefined) continue;
          onGreeted(await greet(secureClient(socket, ports.own.chainId), validatorId, ports));
          return;
        }
      }
      throw new Error('no route leads to it');
    } catch (error) {
      this.#delay(state);
      log.debug({ validator: validatorId, reason: messageOf(error) }, 'validator not reached');
    } finally {
      state.isDialling = false;
    }
  }

  #connect({ host, port }: SocketAddress): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, noDelay: true, autoSelectFamily: false });
      this.#options.traffic.track(socket);
      const cancel = this.#options.clock.after(CONNECT_MILLIS_MAX, () => {
        socket.destroy(new Error('no connection in time'));
      });
      socket.once('connect', () => {
        cancel();
        resolve(socket);
      });
      socket.once('error', (error) => {
        cancel();
        reject(error);
      });
    });
  }

  #delay(state: DialState): void {
    const most = state.wasLinked ? RETURN_MILLIS_MAX : BACKOFF_MILLIS_MAX;
    const millis = Math.min(most, BACKOFF_MILLIS * 2 ** state.failures);
    state.failures = Math.min(state.failures + 1, 10);
    state.nextMillis = this.#options.clock.monotonic() + millis * (0.75 + Math.random() / 2);
  }

  #stateOf(validatorId: string): DialState {
    const existing = this.#states.get(validatorId);
    if (existing !== undefined) return existing;
    const now = this.#options.clock.monotonic();
    const state = {
      apartSinceMillis: now,
      nextMillis: 0,
      failures: 0,
      isDialling: false,
      wasLinked: false,
    };
    this.#states.set(validatorId, state);
    return state;
  }
}
