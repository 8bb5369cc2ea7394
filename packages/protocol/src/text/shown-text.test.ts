import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectShownText } from './shown-text.ts';

const shown = (text: string): string => expectShownText(text, 'label', 256);

test('characters that cannot be seen are refused wherever they stand', () => {
  const invisible = [
    ...['\u0000', '\n', '\u007f', '\u0085', '\u00ad', '\u034f', '\u061c', '\u115f', '\u17b4'],
    ...['\u180e', '\u200b', '\u200c', '\u200d', '\u200e', '\u2028', '\u202e', '\u2060', '\u2064'],
    ...['\u2066', '\u206f', '\u2800', '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\u{e0001}'],
    ...['\u{e0041}', '\u{e007f}', '\u{e0100}', '\u{1d173}'],
  ];
  for (const character of invisible) {
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    for (const text of [`${character}shop`, `sh${character}op`, `shop${character}`, character]) {
      assert.throws(() => shown(text), {
        code: 'bad_text',
        path: 'label',
        message: `label: holds U+${code}, a character that cannot be seen`,
      });
    }
  }
});

test('what joins characters that are seen is taken: emoji and Arabic script', () => {
  for (const text of ['Zoë & Søn, №5', '❤️ 1️⃣', '👨‍👩‍👧', '🧑🏽‍🚀', 'می‌خواهم', '日本語', 'नमस्ते']) {
    assert.equal(shown(text), text);
  }
});

test('a joiner that joins nothing seen is refused', () => {
  for (const text of ['👨\u200d', '\u200d👨', 'a\ufe0f', 'م\u200c', 'م\u200cx', 'a\u200db']) {
    assert.throws(() => shown(text), { code: 'bad_text' });
  }
});
