import { Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { routes, type ServedRoute, servedRoutes } from '../../shared/api/routes.ts';
import type { Settings } from './settings.ts';

type Kept = Pick<Settings, 'dataOnRemoval'>;

/** For resources with data. A kept one is still deleted if its creation is rolled back (`RetainExceptOnCreate`), while empty. */
export const removalPolicy = ({ dataOnRemoval }: Kept): RemovalPolicy =>
  dataOnRemoval === 'kept' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

/** For a resource that CloudFormation may fail to delete, which would stop the rollback of a creation. */
export const removalPolicyOfUndeletable = ({ dataOnRemoval }: Kept): RemovalPolicy =>
  dataOnRemoval === 'kept' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

/** Returns `pharmacy/<stage>/<id>/`. With the stack's id, a new deployment of a stage gets new log groups beside the old ones. */
export function logGroupPrefix(scope: Construct, { stage }: Settings): string {
  const stackId = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  return `pharmacy/${stage}/${stackId}/`;
}

export const addLog = (scope: Construct, id: string, settings: Settings, logGroupName: string): LogGroup =>
  new LogGroup(scope, id, {
    logGroupName,
    retention: settings.logRetentionDays,
    removalPolicy: removalPolicy(settings),
  });

export const getNamespace = ({ stage }: Pick<Settings, 'stage'>): string => `Pharmacy/${stage}`;

/** Without a payment provider, only clients call a stage. */
export const servedBy = ({ payments }: Pick<Settings, 'payments'>): readonly ServedRoute[] =>
  payments.provider === 'none' ? routes : servedRoutes;
