import { RemovalPolicy } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/** The removal policy of every resource that holds data. */
export const removalPolicy = ({ dataOnRemoval }: Settings): RemovalPolicy =>
  dataOnRemoval === 'kept' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
