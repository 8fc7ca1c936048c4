import { Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { routes, type ServedRoute, servedRoutes } from '../../shared/api/routes.ts';
import type { Settings } from './settings.ts';

type Kept = Pick<Settings, 'dataOnRemoval'>;

/**
 * The removal policy of resources that hold data. One that is kept goes all the same when its creation is rolled back
 * (`RetainExceptOnCreate`), when it is still empty.
 */
export const removalPolicy = ({ dataOnRemoval }: Kept): RemovalPolicy =>
  dataOnRemoval === 'kept' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

/** The removal policy of a resource that CloudFormation may fail to delete, which would stop the rollback of a creation. */
export const removalPolicyOfUndeletable = ({ dataOnRemoval }: Kept): RemovalPolicy =>
  dataOnRemoval === 'kept' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

/**
 * Returns the first part of the names of a stack's log groups: `pharmacy/<stage>/<id>/`. The id is the stack's: a stage
 * that is deployed again makes new log groups, beside those that its former stack left.
 */
export function logGroupPrefix(scope: Construct, { stage }: Settings): string {
  const stackId = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  return `pharmacy/${stage}/${stackId}/`;
}

/** Returns the namespace of the metrics that functions and filters make. */
export const getNamespace = ({ stage }: Pick<Settings, 'stage'>): string => `Pharmacy/${stage}`;

/** Returns the routes of a stage: without a payment provider nobody calls but clients. */
export const servedBy = ({ payments }: Pick<Settings, 'payments'>): readonly ServedRoute[] =>
  payments.provider === 'none' ? routes : servedRoutes;
