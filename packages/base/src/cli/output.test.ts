import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columns, printable } from './output.ts';

test('text from others cannot move the cursor, colour, or hide behind another direction of writing', () => {
  const hostile = [
    '\u001b[2J',
    '\r',
    '\u0007',
    '\u202e',
    '\u2066',
    '\u200b',
    '\u2028',
    '\u0085',
    '\ud800',
  ];
  for (const text of hostile) {
    const shown = printable(`pay ${text} me`);
    assert.match(shown, /^pay \\u\{[0-9a-f]+\}.* me$/);
    assert.ok(!shown.includes(text));
  }
  assert.equal(printable('café – 東京 🍵'), 'café – 東京 🍵');
});

test('columns line up, and nothing trails', () => {
  assert.equal(
    columns([
      ['a', 'bb'],
      ['ccc', 'd'],
    ]),
    'a    bb\nccc  d',
  );
});
