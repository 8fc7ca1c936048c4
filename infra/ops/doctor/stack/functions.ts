import * as z from 'zod';
import { askAws } from '../../target/signed-request.ts';
import { type Finding, REMEDIES, type StackCheck, worstOf } from '../check.ts';
import type { StackResources } from './resources.ts';

export const describedFunction = z.object({
  Configuration: z.object({
    Description: z.string().default(''),
    State: z.string().default(''),
    StateReason: z.string().optional(),
    LastUpdateStatus: z.string().default(''),
    LastUpdateStatusReason: z.string().optional(),
  }),
  Concurrency: z.object({ ReservedConcurrentExecutions: z.number().optional() }).default({}),
});
const settings = z.object({
  AccountLimit: z.object({ ConcurrentExecutions: z.number(), UnreservedConcurrentExecutions: z.number() }),
});

// New accounts have less than the default of 1,000 (AWS, "Lambda quotas"), 10 as users report: quota L-B99A9384.
const LEAST_CONCURRENCY = 100;

/** Calls Lambda's API, which is REST. */
export const callLambda = (path: string): Promise<unknown> =>
  askAws({ host: 'lambda', service: 'lambda', endpointVariable: 'AWS_ENDPOINT_URL_LAMBDA', path });

/** The checks that every function can be invoked, and that the account has room for them. */
export function functionChecks(resources: () => Promise<StackResources>): StackCheck[] {
  return [
    {
      name: 'functions',
      remedy: REMEDIES.deployAgain,
      look: async () => checkFunctions((await resources()).get('AWS::Lambda::Function') ?? []),
    },
    {
      name: 'concurrency',
      remedy:
        'Ask for a higher quota in the Service Quotas console: AWS Lambda, Concurrent executions. It takes some days.',
      look: async () => checkConcurrency(settings.parse(await callLambda('/2016-08-19/account-settings'))),
    },
  ];
}

async function checkFunctions(names: readonly string[]): Promise<Finding> {
  if (names.length === 0) return { failed: 'The stack has no function.' };
  return worstOf(await Promise.all(names.map(findFault))) ?? { ok: `${names.length} are active` };
}

async function findFault(name: string): Promise<Finding | undefined> {
  const answer = await callLambda(`/2015-03-31/functions/${encodeURIComponent(name)}`);
  const { Configuration: is, Concurrency } = describedFunction.parse(answer);
  if (is.LastUpdateStatus === 'InProgress') return { warning: `${name} is being updated.` };
  if (is.State !== 'Active') return { failed: `${name} is ${is.State}. ${is.StateReason ?? ''}`.trim() };
  if (is.LastUpdateStatus === 'Failed')
    return { failed: `The last update of ${name} failed. ${is.LastUpdateStatusReason ?? ''}`.trim() };
  if (Concurrency.ReservedConcurrentExecutions === 0)
    return { failed: `${name} is switched off: its reserved concurrency is 0.` };
  return undefined;
}

function checkConcurrency({ AccountLimit }: z.infer<typeof settings>): Finding {
  const { ConcurrentExecutions: all, UnreservedConcurrentExecutions: unreserved } = AccountLimit;
  if (all >= LEAST_CONCURRENCY) return { ok: `${unreserved} of ${all} are unreserved` };
  return { warning: `The account may run ${all} functions at the same time; further requests fail.` };
}
