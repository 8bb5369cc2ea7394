import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markPureValues } from './pure-values.ts';

test('computed values are marked, whatever their length, and lines stay where they are', () => {
  const code =
    'var a = f(1);\nvar b = g(() => {\n  x();\n  y();\n});\n\nvar c = Q.prototype;\nexport {\n  a\n};\n';
  assert.equal(
    markPureValues(code),
    'var a = /* @__PURE__ */ (() => (f(1)))();\nvar b = /* @__PURE__ */ (() => (g(() => {\n  x();\n  y();\n})))();\n\nvar c = /* @__PURE__ */ (() => (Q.prototype))();\nexport {\n  a\n};\n',
  );
});

test('literals, functions, classes and marked values stay as they are', () => {
  const code =
    'var a = 1;\nvar b = "f(x)";\nvar c = (x) => x.y();\nvar d = class {\n};\nvar e = /^a.b$/;\nvar f = /* @__PURE__ */ g();\nvar h = A + B;\nfunction i() {\n  return j();\n}\nk();\n';
  assert.equal(markPureValues(code), code);
});
