import { expect, TestRunner } from 'vitest';
import { takeUnavailable } from './patience.ts';

declare module 'vitest' {
  interface TaskMeta {
    proofs?: Row[];
  }
}

/** The result of a proof for the table at the end of a run. */
export type Proof = {
  /** `subject: check`. The table sorts rows by it and adds up rows with the same check. */
  readonly check: string;
  readonly tries: number;
  /** The number of injected faults. */
  readonly faults?: number;
  /** The number of violations, such as lost orders or leaked data; without it the proof ends at the first of them. */
  readonly lost?: number;
  /** A measurement with its unit. */
  readonly figure?: string;
};

/** A row of the table, with the number of 503 answers after which a caller tried again. */
export type Row = Proof & { readonly unavailable: number };

/** True in a full run (`npm run prove`), which takes minutes; other runs try a part of each proof. */
export const isFull = (): boolean => process.env.PROOFS === 'full';
/** Returns the number of tries of a proof in this run. */
export const tries = (quick: number, full: number): number => (isFull() ? full : quick);

/** Returns `count` of the values, other ones for each place, or all of them in a full run. */
export const someOf = <Value>(values: readonly Value[], place: number, count: number): Value[] =>
  isFull() ? [...values] : values.filter((_, index) => (index + place * count) % values.length < count);

/** The seed of all random values of a run. The table shows it, and `SEED=<number>` before the command sets it. */
export const seed = (): number => Number(process.env.SEED);

/** Adds a proof to the table. Fails the test if anything was lost. A 503 after which the caller tried again loses nothing. */
export function prove(proof: Proof): void {
  const meta = TestRunner.getCurrentTest()?.meta;
  if (!meta) throw new Error('prove() must be called in a test');
  meta.proofs = [...(meta.proofs ?? []), { ...proof, unavailable: takeUnavailable() }];
  expect(proof.lost ?? 0, proof.check).toBe(0);
}
