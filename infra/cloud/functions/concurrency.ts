import { RemovalPolicy } from 'aws-cdk-lib';
import type { FunctionOptions, VersionOptions } from 'aws-cdk-lib/aws-lambda';
import type { Settings } from '../settings.ts';

type Concurrency = Pick<FunctionOptions, 'description' | 'reservedConcurrentExecutions' | 'currentVersionOptions'>;

/**
 * Returns how much of a function runs at the same time. Provisioned concurrency belongs to the version. On an alias, Lambda
 * sets weights until the new environments are ready; if INIT fails they stay, and each later deployment fails
 * (gradientedge/cdk-utils#1110). CodeDeploy leaves a changed number of an alias as it was
 * (aws/serverless-application-model#1425). A version whose INIT fails is not made (aws/aws-cdk#6016), and the alias stays.
 */
export function concurrencyOf(name: string, handler: string, settings: Settings): Concurrency {
  const provisioned = settings.provisionedConcurrency[name];
  const reserved = settings.reservedConcurrency[name];
  return {
    // Lambda publishes a version only if the configuration has changed (PublishVersion), and a changed number needs one.
    description: provisioned === undefined ? handler : `${handler}, provisioned concurrency ${provisioned}`,
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    currentVersionOptions: provisioned === undefined ? formerVersions(settings) : provision(provisioned),
  };
}

/** The version ends with the release that replaces it, because its environments are paid for as long as it is there. */
const provision = (provisionedConcurrentExecutions: number): VersionOptions => ({
  provisionedConcurrentExecutions,
  removalPolicy: RemovalPolicy.DESTROY,
});

/*
 * Production keeps the former versions, so that an alias can go back to one. The version of a deployment that failed is
 * removed, because Lambda publishes no version that equals the last one, and the next attempt would get none. All versions
 * go with their function (DeleteFunction's text).
 */
const formerVersions = ({ purpose }: Settings): VersionOptions => ({
  removalPolicy: purpose === 'production' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
});
