import fc from 'fast-check';

// Properties that name no seed draw from that of the run.
fc.configureGlobal({ seed: Number(process.env.SEED) });
