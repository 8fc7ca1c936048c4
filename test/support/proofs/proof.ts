import { expect, TestRunner } from 'vitest';
import { takeUnavailable } from './patience.ts';

declare module 'vitest' {
  interface TaskMeta {
    proofs?: Row[];
  }
}

/** A row of the table at the end of a run. */
export type Proof = {
  /** Its subject, a colon, and what was looked at: rows of one subject stand together, and those of one check are one. */
  readonly check: string;
  readonly tries: number;
  /** How many faults were injected into them. */
  readonly faults?: number;
  /** What was lost, let in, given away or wrong: none, or the proof has failed. */
  readonly lost: number;
  /** A measurement beside the counts, with its unit. */
  readonly figure?: string;
};

/** A proof as the table has it, with the answers of 503 after which a patient caller tried again. */
export type Row = Proof & { readonly unavailable: number };

/** Every run has a part of each proof; all of it takes minutes (`npm run prove`). */
export const isFull = (): boolean => process.env.PROOFS === 'full';
/** How much a proof tries: in every run, and in all of it. */
export const tries = (quick: number, full: number): number => (isFull() ? full : quick);

/** Returns some of the values for each place, other ones for the next; all of them in a full run. */
export const someOf = <Value>(values: readonly Value[], place: number, count: number): Value[] =>
  isFull() ? [...values] : values.filter((_, index) => (index + place * count) % values.length < count);

/** Of all that is drawn by lot in a run. It is told at its end; `SEED=<number>` before the command sets it. */
export const seed = (): number => Number(process.env.SEED);

/** True when the machine did nothing else as the run began: then no request may be told to try again. */
const isMachineIdle = (): boolean => isFull() && process.env.AT_REST === 'true';

/** Enters a proof in the table, and fails the test if something was lost, or if a machine at rest answered 503. */
export function prove(proof: Proof): void {
  const meta = TestRunner.getCurrentTest()?.meta;
  if (!meta) throw new Error('a proof is made in a test');
  const unavailable = takeUnavailable();
  meta.proofs = [...(meta.proofs ?? []), { ...proof, unavailable }];
  expect(proof.lost, proof.check).toBe(0);
  if (isMachineIdle()) expect(unavailable, `${proof.check}: 503`).toBe(0);
}
