import type * as z from 'zod';
import { routes } from '../../shared/api/routes.ts';
import { functionName } from '../function-name.ts';
import { forwardingJob, jobs } from './functions/jobs.ts';

const FUNCTIONS = new Set([...routes, ...jobs, forwardingJob].map(({ handler }) => functionName(handler)));
const ROUTE_FUNCTIONS = new Set(routes.map(({ handler }) => functionName(handler)));
// A release keeps the environments of two versions. Lambda refuses more than the function may use, for all of its versions
// together (Lambda's guide, "Configuring provisioned concurrency").
const VERSIONS_AT_ONCE = 2;

type Numbers = Readonly<Record<string, number>>;
type Concurrency = { readonly reservedConcurrency: Numbers; readonly provisionedConcurrency: Numbers };

/** Adds an issue for each number of concurrency that names no function, or that Lambda would refuse. */
export function checkConcurrency(given: Concurrency, { addIssue }: z.RefinementCtx): void {
  const { reservedConcurrency, provisionedConcurrency } = given;
  const refuse = (path: [keyof Concurrency, string], message: string) => addIssue({ code: 'custom', path, message });
  for (const name of Object.keys(reservedConcurrency)) {
    if (!FUNCTIONS.has(name))
      refuse(['reservedConcurrency', name], 'under the name of a function, such as orders-create');
  }
  for (const [name, kept] of Object.entries(provisionedConcurrency)) {
    const path = ['provisionedConcurrency', name] as [keyof Concurrency, string];
    if (!ROUTE_FUNCTIONS.has(name)) refuse(path, 'under the name of a route’s function, such as orders-create');
    const most = reservedConcurrency[name];
    if (most !== undefined && VERSIONS_AT_ONCE * kept > most)
      refuse(path, `at most half of the ${most} of reservedConcurrency`);
  }
}
