import type { Reporter, TestModule } from 'vitest/node';
import type { Row } from './proof.ts';

/** Prints a table of the tries and losses of all proofs at the end of a run. */
export class ProofTable implements Reporter {
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const proofs = modules.flatMap(readProofs);
    if (proofs.length === 0) return;
    const checks = [...Map.groupBy(proofs, ({ check }) => check).values()].map(addRows);
    const sorted = checks.toSorted((a, b) => (a.check < b.check ? -1 : 1));
    console.log(`\n${formatTable(sorted.map(toCells))}\n\nSEED=${this.#seed} repeats this run.`);
  }
}

const readProofs = (module: TestModule): Row[] =>
  [...module.children.allTests()].flatMap((test) => test.meta().proofs ?? []);

/** Adds up the rows of one check from several tests. */
const addRows = (proofs: readonly Row[]): Row =>
  proofs.reduce((all, one) => ({
    ...one,
    tries: all.tries + one.tries,
    faults: (all.faults ?? 0) + (one.faults ?? 0),
    ...(one.lost !== undefined && { lost: (all.lost ?? 0) + one.lost }),
    unavailable: all.unavailable + one.unavailable,
  }));

const HEAD = ['check', 'tries', 'faults', '503', 'lost', 'measured'];
const COUNTS = new Set(['tries', 'faults', '503', 'lost']);
const COUNT = new Intl.NumberFormat('en');

function toCells({ check, tries, faults = 0, unavailable, lost, figure = '' }: Row): string[] {
  const counts = [tries, faults, unavailable, lost].map((count) => (count === undefined ? '' : COUNT.format(count)));
  return [check, ...counts, figure];
}

/** Formats rows as aligned columns, with counts to the right. */
function formatTable(rows: readonly string[][]): string {
  const all = [HEAD, ...rows];
  const widths = HEAD.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const formatLine = (row: readonly string[]) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return COUNTS.has(HEAD[column] ?? '') ? cell.padStart(width) : cell.padEnd(width);
    });
    return cells.join('  ').trimEnd();
  };
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [formatLine(HEAD), rule, ...rows.map(formatLine)].join('\n');
}
