import { after, before, describe } from 'node:test';
import { testCancelling } from './daemon/cancelling.ts';
import { testFloating } from './daemon/floating.ts';
import { testLooking } from './daemon/looking.ts';
import { testPaying } from './daemon/paying.ts';
import { testReading } from './daemon/reading.ts';
import { testRefusing } from './daemon/refusing.ts';
import { testTokens } from './daemon/tokens.ts';
import { testValidity } from './daemon/validity.ts';
import { World } from './daemon/world.ts';

describe('the wallet daemon', () => {
  const world = new World();
  before(() => world.open());
  after(() => world.close());
  testLooking(world);
  testPaying(world);
  testCancelling(world);
  testFloating(world);
  testTokens(world);
  testValidity(world);
  testReading(world);
  testRefusing(world);
});
