import { RemovalPolicy } from 'aws-cdk-lib';
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
