import {
  GetBucketVersioningCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { once } from '../../../shared/runtime/async.ts';
import { setting } from '../command.ts';
import { type Check, CLIENT_LIMITS, REMEDIES } from './check.ts';

const onAwsOnly = { notLocally: 'The local S3 has nothing of the kind.', remedy: REMEDIES.deployAgain };
const BLOCKS = ['BlockPublicAcls', 'IgnorePublicAcls', 'BlockPublicPolicy', 'RestrictPublicBuckets'] as const;

export const bucketChecks = (): Check[] => [
  ...checksOfBucket('catalog bucket', 'CATALOG_BUCKET'),
  ...checksOfBucket('documents bucket', 'DOCUMENTS_BUCKET'),
];

function checksOfBucket(name: string, variable: string): Check[] {
  const s3 = once(() => new S3Client({ ...CLIENT_LIMITS, forcePathStyle: process.env.S3_PATH_STYLE === 'true' }));
  const bucket = () => ({ Bucket: setting(variable) });
  const needs = [variable];
  return [
    {
      name,
      needs,
      remedy: REMEDIES.deploy,
      look: async () => {
        try {
          await s3().send(new HeadBucketCommand(bucket()));
          return { ok: setting(variable) };
        } catch (error) {
          if (!(error instanceof S3ServiceException)) throw error;
          // The answer to a HEAD has no body that could say more than its status.
          return { failed: `S3 answers ${error.$metadata.httpStatusCode}.` };
        }
      },
    },
    {
      name: `${name} is private`,
      needs,
      ...onAwsOnly,
      look: async () => {
        const answer = await s3().send(new GetPublicAccessBlockCommand(bucket()));
        const open = BLOCKS.filter((block) => !answer.PublicAccessBlockConfiguration?.[block]);
        return open.length > 0 ? { failed: `Off: ${open.join(', ')}.` } : { ok: 'public access is blocked' };
      },
    },
    {
      name: `${name} keeps versions`,
      needs,
      ...onAwsOnly,
      look: async () => {
        const { Status = 'off' } = await s3().send(new GetBucketVersioningCommand(bucket()));
        return Status === 'Enabled' ? { ok: 'on' } : { failed: `Versioning is ${Status.toLowerCase()}.` };
      },
    },
  ];
}
