import {
  GetBucketVersioningCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { once } from '../../../shared/runtime/once.ts';
import { setting } from '../command.ts';
import { type Check, CLIENT_LIMITS } from './check.ts';

const NOT_LOCALLY = 'The local S3 has nothing of the kind.';
const DEPLOY = 'Deploy the stack again: it sets this.';
const BLOCKS = ['BlockPublicAcls', 'IgnorePublicAcls', 'BlockPublicPolicy', 'RestrictPublicBuckets'] as const;

export const bucketChecks = (): Check[] => [
  ...checksOf('catalog bucket', 'CATALOG_BUCKET'),
  ...checksOf('documents bucket', 'DOCUMENTS_BUCKET'),
];

function checksOf(name: string, variable: string): Check[] {
  const s3 = once(() => new S3Client({ ...CLIENT_LIMITS, forcePathStyle: process.env.S3_PATH_STYLE === 'true' }));
  const bucket = () => ({ Bucket: setting(variable) });
  const needs = [variable];
  return [
    {
      name,
      needs,
      remedy: 'Deploy the stack, or point at it with --outputs.',
      look: async () => {
        // A HEAD has no body that could say more than its status.
        const failure = await s3()
          .send(new HeadBucketCommand(bucket()))
          .then(() => undefined, statusOf);
        return failure === undefined ? { ok: setting(variable) } : { failed: `S3 answers ${failure}.` };
      },
    },
    {
      name: `${name} is private`,
      needs,
      notLocally: NOT_LOCALLY,
      remedy: DEPLOY,
      look: async () => {
        const answer = await s3().send(new GetPublicAccessBlockCommand(bucket()));
        const open = BLOCKS.filter((block) => !answer.PublicAccessBlockConfiguration?.[block]);
        return open.length > 0 ? { failed: `Off: ${open.join(', ')}.` } : { ok: 'public access is blocked' };
      },
    },
    {
      name: `${name} keeps versions`,
      needs,
      notLocally: NOT_LOCALLY,
      remedy: DEPLOY,
      look: async () => {
        const { Status = 'off' } = await s3().send(new GetBucketVersioningCommand(bucket()));
        return Status === 'Enabled' ? { ok: 'on' } : { failed: `Versioning is ${Status.toLowerCase()}.` };
      },
    },
  ];
}

function statusOf(error: unknown): number {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (status === undefined) throw error;
  return status;
}
