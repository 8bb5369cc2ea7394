/**
 * Alterations of an evidence file: of what it claims, of its head, of the path and of every part of its proofs. None of them
 * may be accepted.
 */
import type { Claim, ClaimProof, Evidence } from 'svc-client/evidence';

type Texts = Readonly<Record<string, string>>;

export interface Alteration {
  readonly name: string;
  readonly evidence: Evidence;
}

/** What is no part of the proof: a note that is left out is not shown, and its hash still is. */
const OPTIONAL_PARTS: readonly string[] = ['note'];

/** All of a file with one claim. */
export function alterationsOf(evidence: Evidence): Alteration[] {
  const [proof] = evidence.claims;
  if (proof === undefined) throw new Error('the file claims nothing');
  const made: Alteration[] = [];
  const add = (name: string, change: Partial<Evidence>) =>
    made.push({ name, evidence: { ...evidence, ...change } });
  const addProof = (name: string, change: Partial<ClaimProof>) =>
    add(name, { claims: [{ ...proof, ...change }] });
  for (const [name, claim] of otherClaims(proof.claim)) addProof(`claim: ${name}`, { claim });
  if (proof.claim.kind !== 'answer') {
    addProof('another height', { height: proof.height === null ? 1 : proof.height + 1 });
    for (const [name, head] of otherTexts({ ...evidence.head }, ['network'], HEAD_PLACES))
      add(`head: ${name}`, { head: head as unknown as NonNullable<Evidence['head']> });
    add('no head', { head: null });
    for (const [name, history] of otherHistories(evidence)) add(`history: ${name}`, { history });
  }
  for (const [name, parts] of otherTexts(proof.parts, [], PART_PLACES))
    if (!OPTIONAL_PARTS.includes(name)) addProof(`part: ${name}`, { parts });
  return made;
}

const HEAD_PLACES = 4;
const PART_PLACES = 6;

function otherClaims(claim: Claim): (readonly [string, Claim])[] {
  const fields = Object.entries(claim).filter(([name]) => name !== 'kind');
  return fields.flatMap(([name, value]) =>
    othersOf(value).map(
      (other) => [`${name} ${String(other).slice(0, 20)}`, { ...claim, [name]: other }] as const,
    ),
  );
}

function othersOf(value: unknown): unknown[] {
  if (typeof value === 'number') return [value + 1, value - 1].filter((each) => each >= 0);
  if (typeof value !== 'string') return [];
  return [flip(value, value.length - 1), flip(value, Math.floor(value.length / 2))];
}

/** Each text of a document flipped at some places, cut short, and left out. */
function otherTexts(
  texts: Texts,
  passedOver: readonly string[],
  places: number,
): [string, Texts][] {
  return Object.entries(texts)
    .filter(([name]) => !passedOver.includes(name))
    .flatMap(([name, text]): [string, Texts][] => {
      const { [name]: _, ...without } = texts;
      const changed = placesIn(text, places).map((at): [string, string] => [
        `${name} at ${at}`,
        flip(text, at),
      ]);
      const shorter: [string, string] = [`${name} cut short`, text.slice(0, -2)];
      const others = [...changed, shorter].filter(([, other]) => other !== text);
      return [
        ...others.map(([title, other]): [string, Texts] => [title, { ...texts, [name]: other }]),
        [name, without],
      ];
    });
}

function otherHistories({ history }: Evidence): (readonly [string, Evidence['history']])[] {
  if (history === null) return [];
  const { headers, path } = history;
  const [first = ''] = headers;
  return [
    ['none', null],
    ['no header', { headers: [], path }],
    ['a header twice', { headers: [first, ...headers], path }],
    ...placesIn(first, HEAD_PLACES).map(
      (at) =>
        [`header at ${at}`, { headers: [flip(first, at), ...headers.slice(1)], path }] as const,
    ),
    ...placesIn(path, HEAD_PLACES).map(
      (at) => [`path at ${at}`, { headers, path: flip(path, at) }] as const,
    ),
  ];
}

function placesIn(text: string, count: number): number[] {
  if (text === '') return [];
  const places = Array.from({ length: count }, (_, at) => Math.floor((text.length / count) * at));
  return [...new Set([...places, text.length - 1])];
}

/** Another text of the same length and alphabet; the text itself if it is empty. */
export function flip(text: string, at: number): string {
  if (text === '') return text;
  const digit = /[0-9]/.test(text[at] ?? '')
    ? text[at] === '1'
      ? '2'
      : '1'
    : otherLetter(text[at]);
  return `${text.slice(0, at)}${digit}${text.slice(at + 1)}`;
}

function otherLetter(letter: string | undefined): string {
  return letter === 'a' ? 'b' : 'a';
}
