import fc from 'fast-check';
import { TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** The runs of the properties of a test. */
    propertyRuns?: number;
  }
}

// Properties that name no seed draw from that of the run.
fc.configureGlobal({
  seed: Number(process.env.SEED),
  reporter(details) {
    const meta = TestRunner.getCurrentTest()?.meta;
    if (meta) meta.propertyRuns = (meta.propertyRuns ?? 0) + details.numRuns;
    const message = fc.defaultReportMessage(details);
    if (details.failed) throw new Error(message, { cause: details.errorInstance });
  },
});
