import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CutId, type EncodedCut, height, type WireMessage } from 'svc-consensus/machine';
import { KnownCuts } from '../cuts/known-cuts.ts';
import type { Driver } from '../driver.ts';
import { RequestServer } from './request-server.ts';
import { Speaker } from './speaker.ts';

const CUT = { value: 'a cut' as CutId, fields: { height: 7n } } as EncodedCut;
const REQUEST = { kind: 'cutRequest', height: height(7), value: CUT.value } as const;

/** A server that knows one cut; `clock.millis` is its time. */
function serverOfOneCut() {
  const clock = { millis: 5_000 };
  const answered: string[] = [];
  const driver = {
    height: height(7),
    isMuted: false,
    ports: { clock: { monotonic: () => clock.millis } },
  } as unknown as Driver;
  const cuts = new KnownCuts(driver);
  cuts.learn(CUT);
  const outlet = {
    neighbours: () => [],
    broadcast: () => assert.fail('nothing is for all'),
    send: (to: string, _message: WireMessage) => void answered.push(to),
  };
  return {
    server: new RequestServer(driver, cuts, new Speaker(driver, outlet, cuts)),
    clock,
    answered,
  };
}

test('a validator gets 96 answers in a second, whatever others ask for', () => {
  const { server, clock, answered } = serverOfOneCut();
  const answersTo = (name: string) => answered.filter((to) => to === name).length;
  for (let count = 0; count < 200; count++) server.sendCut('greedy', REQUEST, 'greedy');
  assert.equal(answersTo('greedy'), 96);
  server.sendCut('other', REQUEST, 'other');
  assert.equal(answersTo('other'), 1);
  clock.millis += 999;
  server.sendCut('greedy', REQUEST, 'greedy');
  assert.equal(answersTo('greedy'), 96);
  clock.millis += 1;
  server.sendCut('greedy', REQUEST, 'greedy');
  assert.equal(answersTo('greedy'), 97);
});
