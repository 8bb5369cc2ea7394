/**
 * Reports that a network does not run on this version of Node, before a missing function does.
 */

const NODE_MIN = 26;

export function expectNode(version: string): void {
  if (Number.parseInt(version, 10) >= NODE_MIN) return;
  throw new Error(
    `svc-devnet needs Node ${NODE_MIN}, and this is Node ${version}: install node@${NODE_MIN} beside it and run the test with \`npx node\``,
  );
}
