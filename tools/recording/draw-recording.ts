/**
 * A recording of a terminal as an SVG that plays by itself. Where nothing is animated, every line is there at once.
 */
export interface RecordedLine {
  readonly atMillis: number;
  /** May have the escape sequences of colours. */
  readonly text: string;
}

const PAUSE_MILLIS_MAX = 1_500;
const [CHARACTER, LINE, MARGIN, SIZE] = [7.2, 18, 16, 12];

const ESCAPE = String.fromCharCode(27);
const SEQUENCE = new RegExp(`(${ESCAPE}\\[[0-9;]*[A-Za-z])`);
const STYLES: Readonly<Record<string, string>> = { 1: 'b', 33: 'y', 36: 'c', 90: 'g' };
const STYLE = `text{font:${SIZE}px ui-monospace,Menlo,Consolas,monospace;fill:#d8dee9;white-space:pre;animation:show 0s both}
.b{font-weight:700;fill:#fff}.y{fill:#ebcb8b}.c{fill:#88c0d0}.g{fill:#7b88a1}.p{fill:#a3be8c}
@keyframes show{from{visibility:hidden}to{visibility:visible}}`;

/** The command is drawn as typed; lines that are longer than a row are broken. */
export function drawRecording(
  command: string,
  lines: readonly RecordedLine[],
  columns: number,
): string {
  const rows = [
    { atMillis: 0, spans: [{ style: 'p', text: `$ ${command}` }] },
    ...shortenPauses(lines.filter(isOfProgram)).flatMap(({ atMillis, text }) =>
      breakRow(spansOf(text), columns).map((spans) => ({ atMillis, spans })),
    ),
  ];
  const width = Math.ceil(columns * CHARACTER + 2 * MARGIN);
  const height = rows.length * LINE + 2 * MARGIN;
  const texts = rows.map(
    ({ atMillis, spans }, row) =>
      `<text x="${MARGIN}" y="${MARGIN + LINE * (row + 0.75)}" style="animation-delay:${(atMillis / 1_000).toFixed(2)}s">${spans.map(drawSpan).join('')}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A recording of ${escapeText(command)}">
<style>${STYLE}</style>
<rect width="100%" height="100%" rx="8" fill="#20242d"/>
${texts.join('\n')}
</svg>
`;
}

interface Span {
  readonly style: string;
  readonly text: string;
}

/** Whether the program printed a line; npm's own lines before it begin with `> ` or `npm `. */
function isOfProgram({ text }: RecordedLine): boolean {
  const plain = spansOf(text)
    .map((span) => span.text)
    .join('');
  return !/^(?:> |npm )/.test(plain);
}

function shortenPauses(lines: readonly RecordedLine[]): RecordedLine[] {
  let [before, at] = [0, 0];
  return lines.map(({ atMillis, text }) => {
    at += Math.min(atMillis - before, PAUSE_MILLIS_MAX);
    before = atMillis;
    return { atMillis: at, text };
  });
}

/** Parts of a line by style; escape sequences that are no colours are dropped, and so is a spinner. */
export function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  let style = '';
  for (const part of text.split(SEQUENCE)) {
    const code = part.startsWith(ESCAPE) ? /^\[([0-9;]*)([A-Za-z])$/.exec(part.slice(1)) : null;
    if (code !== null) {
      if (code[2] === 'm') style = STYLES[code[1] ?? ''] ?? '';
      continue;
    }
    const shown = part.replace(/[\u2800-\u28ff\r]/g, '');
    if (shown !== '') spans.push({ style, text: shown });
  }
  return spans;
}

function breakRow(spans: readonly Span[], columns: number): Span[][] {
  const rows: Span[][] = [[]];
  let left = columns;
  for (const { style, text } of spans) {
    for (let rest = text; rest !== ''; ) {
      if (left === 0) {
        rows.push([]);
        left = columns;
      }
      const piece = rest.slice(0, left);
      rows.at(-1)?.push({ style, text: piece });
      left -= piece.length;
      rest = rest.slice(piece.length);
    }
  }
  return rows;
}

function drawSpan({ style, text }: Span): string {
  const shown = escapeText(text);
  return style === '' ? shown : `<tspan class="${style}">${shown}</tspan>`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
