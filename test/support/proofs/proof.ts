import { expect, TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    proofs?: Proof[];
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
  /** What was measured beside, with its unit. */
  readonly figure?: string;
};

/** Every run has a part of each proof; all of it takes minutes (`npm run prove`). */
export const isFull = (): boolean => process.env.PROOFS === 'full';
/** How much a proof tries: in every run, and in all of it. */
export const tries = (quick: number, full: number): number => (isFull() ? full : quick);

/** Of all that is drawn by lot in a run. It is told at its end; `SEED=<number>` before the command sets it. */
export const seed = (): number => Number(process.env.SEED);

/** Enters a proof in the table, and fails the test if something was lost. */
export function prove(proof: Proof): void {
  const meta = TestRunner.getCurrentTest()?.meta;
  if (!meta) throw new Error('a proof is made in a test');
  meta.proofs = [...(meta.proofs ?? []), proof];
  expect(proof.lost, proof.check).toBe(0);
}
