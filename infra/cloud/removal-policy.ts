import { RemovalPolicy } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/** What becomes of whatever holds data when it leaves the stack. */
export const removalPolicy = ({ dataOnRemoval }: Settings): RemovalPolicy =>
  dataOnRemoval === 'kept' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
