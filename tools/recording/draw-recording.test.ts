import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawRecording, spansOf } from './draw-recording.ts';

const ESCAPE = '\u001b';

test('colours become styles, and what moves the cursor is left out', () => {
  const text = `${ESCAPE}[1G${ESCAPE}[0K${ESCAPE}[33mwarned${ESCAPE}[39m plain ⠙`;
  assert.deepEqual(spansOf(text), [
    { style: 'y', text: 'warned' },
    { style: '', text: ' plain ' },
  ]);
});

test('lines appear in their order with short pauses, are broken, and what npm prints is left out', () => {
  const lines = [
    { atMillis: 500, text: '> svc@0.1.0 start' },
    { atMillis: 10_000, text: 'a<b & c' },
    { atMillis: 10_250, text: '0123456789abc' },
  ];
  const rows = [
    ...drawRecording('npm start', lines, 10).matchAll(/delay:([\d.]+)s">(.*)<\/text>/g),
  ];
  assert.deepEqual(
    rows.map(([, delay, text]) => [delay, text]),
    [
      ['0.00', '<tspan class="p">$ npm start</tspan>'],
      ['1.50', 'a&lt;b &amp; c'],
      ['1.75', '0123456789'],
      ['1.75', 'abc'],
    ],
  );
});
