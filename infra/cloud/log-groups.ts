import { Fn, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/**
 * Returns the first part of the names of a stack's log groups: `pharmacy/<stage>/<id>/`. The id is the stack's: a stage
 * that is deployed again makes new log groups, beside those that its former stack left.
 */
export function logGroupPrefix(scope: Construct, { stage }: Settings): string {
  const stackId = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  return `pharmacy/${stage}/${stackId}/`;
}
