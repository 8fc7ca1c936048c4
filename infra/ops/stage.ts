import * as z from 'zod';
import { eraseRetained } from '../../shared/erasure/erase-order.ts';
import { runDueTasks } from '../../shared/invoices/run-due-tasks.ts';
import { reconcilePayments } from '../../shared/payments/reconcile-payments.ts';
import { sweepDocuments } from '../../shared/prescriptions/sweep-documents.ts';
import { collecting } from '../../shared/runtime/config.ts';
import { type Command, command } from './command.ts';
import type { Context } from './context.ts';
import { emailAddress, flag, instant, upTo } from './input.ts';

const doctor = command({
  name: 'doctor',
  summary: 'Check an installation, and say what to do about everything that is missing',
  example: '--outputs .local/demo.json',
  input: z.object({
    key: flag.describe(
      'ask for the API key of a client, or read it from stdin or DOCTOR_API_KEY, and try a page of products and a quote with it',
    ),
    email: emailAddress
      .optional()
      .describe('ask for the password of this user as well, or take DOCTOR_PASSWORD, and log in'),
  }),
  async run(access, context) {
    // Loaded late, as are the logs, since no other command needs the clients of so many services.
    const { examine } = await import('./doctor/examine.ts');
    return examine(access, context);
  },
});

const logs = command({
  name: 'logs',
  summary: 'Show what failed in the last day, or every line of one request, with stack traces by source line',
  example: '--outputs .local/demo.json --request 5f1c0c53-9f1b-4a51-8f3a-2d0d4c1b7f55',
  input: z.object({
    request: z.string().max(100).optional().meta({ title: 'X-Request-Id' }),
    function: z.string().optional().meta({ title: 'orders-create' }),
    from: instant.optional().describe('a time, or how long ago: 90m, 6h, 3d; without it a day'),
    to: instant.optional(),
    limit: upTo(1_000, '100'),
  }),
  async run(input, context) {
    const { showLogs } = await import('./logs.ts');
    return showLogs(input, context);
  },
});

type Outcomes = Readonly<Record<string, number>>;

const JOBS = {
  'run-due-tasks': async (context: Context) => {
    const act = await context.act();
    const documents = await runDueTasks(act, context);
    return { documents, ...(collecting() && { payments: await reconcilePayments(act, context, 'all') }) };
  },
  'sweep-documents': async ({ now, documents, table }: Context) => ({
    documents: { ...(await sweepDocuments(now, { documents, table })) },
  }),
  'erase-retained': async (context: Context) => ({ orders: await eraseRetained(await context.act(), context) }),
} satisfies Readonly<Record<string, (context: Context) => Promise<Readonly<Record<string, Outcomes>>>>>;

const jobsRun = command({
  name: 'jobs run',
  summary: 'Do at once what AWS does by a schedule',
  example: 'run-due-tasks',
  details: `run-due-tasks    issue, cancel, mail and copy tax documents, and ask the payment provider about what is open
sweep-documents  remove documents older than 6 hours that no order has
erase-retained   remove what was kept of erased patients until a day that is over`,
  positional: ['job'],
  input: z.object({
    job: z.enum(Object.keys(JOBS) as (keyof typeof JOBS)[]).describe(`one of ${Object.keys(JOBS).join(', ')}`),
  }),
  async run({ job }, context) {
    const document: Readonly<Record<string, Outcomes>> = await JOBS[job](context);
    const failed = Object.values(document).reduce((sum, outcomes) => sum + (outcomes.failed ?? 0), 0);
    const isIdle = Object.values(document).every((outcomes) => Object.keys(outcomes).length === 0);
    const remark = isIdle ? 'Nothing was due.' : undefined;
    return { document, remark, failure: failed > 0 ? `${failed} failed; the job tries again.` : undefined };
  },
});

export const stageCommands: readonly Command[] = [jobsRun, doctor, logs];
