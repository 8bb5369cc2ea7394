import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idOf } from '../../test/testing/reference-hash.ts';
import { TestChain } from '../../test/testing/test-chain.ts';
import { checkCut } from '../check-cut.ts';
import { type Identifier, numberKey } from '../identifiers.ts';
import { registrationFault } from './registration.ts';

/** A chain whose only blocks are those that the given cuts registered; their ids by cut. */
function chainWith(cuts: readonly number[], height: number) {
  const chain = new TestChain();
  const blocks = new Map<number, Identifier>();
  while (chain.height < height) {
    const cut = chain.height + 1;
    const input = chain.input(cuts.includes(cut) ? { blocks: [{}] } : {});
    const [block] = input.registered;
    if (block !== undefined) blocks.set(cut, block.id);
    chain.apply(input);
  }
  return { chain, blockOf: (cut: number) => blocks.get(cut) as Identifier };
}

function faultOf(chain: TestChain, anchor: number, parents: readonly Identifier[]): unknown {
  const height = chain.height + 1;
  return registrationFault(chain.state, height, [chain.block(height, { anchor, parents })]);
}

const ANCHOR = 100;
const OLDEST = ANCHOR - 95;
const { chain: CHAIN, blockOf } = chainWith([4, OLDEST, 60, ANCHOR, ANCHOR + 1], ANCHOR + 94);

const rules: [string, readonly Identifier[], string | null][] = [
  ['a block of the anchor itself', [blockOf(ANCHOR)], null],
  ['a block of a cut before the anchor', [blockOf(60)], null],
  ['a block of the oldest of the 96 cuts', [blockOf(OLDEST)], null],
  ['several of them', [blockOf(60), blockOf(OLDEST), blockOf(ANCHOR)], null],
  ['a block of the cut before those', [blockOf(OLDEST - 1)], 'unknown_parent'],
  ['a block of the cut after the anchor', [blockOf(ANCHOR + 1)], 'unknown_parent'],
  ['an unknown id', [idOf('unknown')], 'unknown_parent'],
  ['one good and one unknown', [blockOf(60), idOf('unknown')], 'unknown_parent'],
  ['the anchor, though there are blocks', [idOf(`cut ${ANCHOR}`)], 'unknown_parent'],
  ['the anchor beside a block', [blockOf(60), idOf(`cut ${ANCHOR}`)], 'unknown_parent'],
];
for (const [what, parents, fault] of rules) {
  test(`parents in the last cut of the window: ${what}: ${fault ?? 'holds'}`, () => {
    assert.equal(CHAIN.height + 1, ANCHOR + 95);
    assert.equal(faultOf(CHAIN, ANCHOR, parents), fault);
  });
}

test('where the 96 cuts registered nothing, the anchor is the one parent', () => {
  const { chain, blockOf: old } = chainWith([4, 101], 102);
  const anchorCut = idOf('cut 100');
  assert.equal(faultOf(chain, 100, [anchorCut]), null);
  assert.equal(faultOf(chain, 100, [anchorCut, idOf('other')]), 'unknown_parent');
  assert.equal(faultOf(chain, 100, [idOf('cut 99')]), 'unknown_parent');
  assert.equal(faultOf(chain, 100, [old(4)]), 'unknown_parent');
  assert.equal(faultOf(chain, 99, [old(4)]), null);
  assert.equal(faultOf(chain, 99, [idOf('cut 99')]), 'unknown_parent');
  assert.equal(faultOf(chain, 101, [idOf('cut 101')]), 'unknown_parent');
  assert.equal(faultOf(chain, 101, [old(101)]), null);
});

test('the first blocks of a chain have the genesis for their parent', () => {
  const chain = new TestChain();
  assert.equal(faultOf(chain, 0, [idOf('cut 0')]), null);
  assert.equal(faultOf(chain, 0, [idOf('unknown')]), 'unknown_parent');
});

test('parents are judged for each block of a cut by its own anchor, and named by checkCut', () => {
  const { chain, blockOf: of } = chainWith([1, 2], 3);
  const height = chain.height + 1;
  const older = chain.block(height, { anchor: 1, parents: [of(1)] });
  const newer = chain.block(height, { anchor: 2, parents: [of(1), of(2)] });
  assert.equal(registrationFault(chain.state, height, [older, newer]), null);
  const early = { ...older, parents: [of(2)] };
  const input = { ...chain.input(), registered: [early, newer] };
  const fault = { part: 'registered', fault: 'unknown_parent' };
  assert.deepEqual(checkCut(chain.parameters, chain.state, input), fault);
});

test('lists of registered blocks stay while a block may name them, and then go', () => {
  const { chain } = chainWith([5], 5 + 189);
  const listed = () => chain.state.get('registered', numberKey(5)) !== undefined;
  assert.equal(faultOf(chain, 100, chain.block(101, { anchor: 100 }).parents), null);
  assert.ok(listed());
  chain.cut();
  assert.ok(!listed());
  assert.ok(!chain.state.records('registered').some(([key]) => key < numberKey(6)));
});
