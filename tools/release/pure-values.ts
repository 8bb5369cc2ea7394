/**
 * Lets bundlers leave out what a program does not use. A value that a module computes when it is loaded stays in every
 * bundle, because a bundler cannot know that computing it does nothing else. Here nothing else ever happens
 * (`"sideEffects": false` says so for whole files), so each such value is marked as removable.
 */
const STATEMENT = /^(var \w+ = )([\s\S]*?);\n(?=[^ )}\]]|(?![\s\S]))/gm;
/** Literals, functions and classes, which bundlers know; and what is marked already. */
const KNOWN =
  /^(?:-?[\d.]|["'`]|true\b|false\b|null\b|void 0|class\b|function\b|async\b|\/|\w+ =>|\([^()]*\) =>)/;

/** Only a call or a property access can have an effect. */
const CALLS_OR_READS = /\(|\.\w/;

/** Marks the computed values of a file of code that the bundler has laid out. Lines stay where they are. */
export function markPureValues(code: string): string {
  return code.replaceAll(STATEMENT, (statement, declaration: string, value: string) =>
    KNOWN.test(value) || !CALLS_OR_READS.test(value)
      ? statement
      : `${declaration}/* @__PURE__ */ (() => (${value}))();\n`,
  );
}
