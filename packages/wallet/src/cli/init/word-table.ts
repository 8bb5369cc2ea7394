/**
 * Recovery words as people copy them: numbered, in rows of four.
 */
import { columns } from '../output.ts';

const WORDS_PER_ROW = 4;

export function wordTable(words: string): string {
  const cells = words.split(' ').map((word, at) => `${String(at + 1).padStart(2)}. ${word}`);
  const rows: string[][] = [];
  for (let at = 0; at < cells.length; at += WORDS_PER_ROW) {
    rows.push(cells.slice(at, at + WORDS_PER_ROW));
  }
  return columns(rows);
}
