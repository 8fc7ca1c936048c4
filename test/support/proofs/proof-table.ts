import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import type { Row } from './proof.ts';

/** Prints the cases and losses of each file with proofs or properties at the end of a run. */
export class ProofTable implements Reporter {
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map(readFile).filter(({ cases }) => cases > 0);
    if (files.length === 0) return;
    const sorted = files.toSorted((a, b) => (a.file < b.file ? -1 : 1));
    console.log(`\n${formatTable(sorted.map(toCells))}\n\nSEED=${this.#seed} repeats this run.`);
  }
}

type FileRow = Required<Omit<Row, 'check' | 'tries' | 'figure'>> & {
  readonly file: string;
  readonly cases: number;
  readonly seconds: number;
  readonly figures: string;
};

function readFile(module: TestModule): FileRow {
  const tests = [...module.children.allTests()];
  const rows: readonly Row[] = tests.flatMap((test) => test.meta().proofs ?? []);
  const runs = tests.reduce((total, test) => total + (test.meta().propertyRuns ?? 0), 0);
  const add = (count: (row: Row) => number | undefined) => rows.reduce((total, row) => total + (count(row) ?? 0), 0);
  return {
    file: relative('test', relative(process.cwd(), module.moduleId)),
    cases: runs + add(({ tries }) => tries),
    faults: add(({ faults }) => faults),
    unavailable: add(({ unavailable }) => unavailable),
    lost: add(({ lost }) => lost),
    seconds: Math.round(module.diagnostic().duration / 1_000),
    figures: rows.flatMap(({ figure = [] }) => figure).join('; '),
  };
}

const HEAD = ['file', 'cases', 'faults', '503', 'lost', 's', 'measured'];
const isCount = (column: number): boolean => column > 0 && column < HEAD.length - 1;
const COUNT = new Intl.NumberFormat('en');

function toCells({ file, cases, faults, unavailable, lost, seconds, figures }: FileRow): string[] {
  return [file, ...[cases, faults, unavailable, lost, seconds].map((count) => COUNT.format(count)), figures];
}

/** Formats rows as aligned columns, with counts to the right. */
function formatTable(rows: readonly string[][]): string {
  const all = [HEAD, ...rows];
  const widths = HEAD.slice(0, -1).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const formatLine = (row: readonly string[]) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return isCount(column) ? cell.padStart(width) : cell.padEnd(width);
    });
    return cells.join('  ').trimEnd();
  };
  return all.map(formatLine).join('\n');
}
