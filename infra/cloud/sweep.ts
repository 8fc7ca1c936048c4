import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { PharmacyData } from './data.ts';
import { JobFunction } from './job-function.ts';

/** Every hour, and able to do no more than its work: see what is stored, remove versions, read and write marks of documents. */
export function addDocumentSweep(scope: Construct, { table, documents }: PharmacyData): void {
  const sweep = new JobFunction(scope, 'jobs-sweep-documents', {
    handler: 'functions/jobs/sweep-documents.ts',
    every: Duration.hours(1),
    environment: { TABLE_NAME: table.tableName, DOCUMENTS_BUCKET: documents.bucketName },
  });
  sweep.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucketVersions'], resources: [documents.bucketArn] }));
  sweep.addToRolePolicy(
    new PolicyStatement({
      actions: ['s3:DeleteObjectVersion'],
      resources: [documents.arnForObjects('prescriptions/*')],
    }),
  );
  sweep.addToRolePolicy(
    new PolicyStatement({
      actions: ['dynamodb:BatchGetItem', 'dynamodb:PutItem'],
      resources: [table.tableArn],
      conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['DOCUMENT#*'] } },
    }),
  );
}
