import { CfnOutput } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { INDEXES, TABLE } from '../../shared/store/keys.ts';

/** What the functions share: the table, the buckets and the secret of the access tokens. */
export class PharmacyData extends Construct {
  readonly table: TableV2;
  readonly catalog: Bucket;
  readonly documents: Bucket;
  readonly tokenSecret: Secret;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: TABLE.timeToLive,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      localSecondaryIndexes: Object.entries(INDEXES).map(([indexName, { sortKey }]) => ({
        indexName,
        sortKey: { name: sortKey, type: AttributeType.STRING },
        projectionType: ProjectionType.ALL,
      })),
    });
    this.catalog = privateBucket(this, 'Catalog');
    this.documents = privateBucket(this, 'Documents');
    this.tokenSecret = new Secret(this, 'TokenKeys', {
      description: 'Access token keys: {"current":{"kid","secret"},"previous"?:{"kid","secret"}}, secrets in base64url',
    });
    for (const [name, value] of Object.entries(this.outputs())) new CfnOutput(this, name, { value });
  }

  /** What an operator's environment needs for `npm run ops`. */
  private outputs(): Record<string, string> {
    return {
      TableName: this.table.tableName,
      CatalogBucket: this.catalog.bucketName,
      DocumentsBucket: this.documents.bucketName,
      TokenSecretId: this.tokenSecret.secretArn,
    };
  }
}

const privateBucket = (scope: Construct, id: string): Bucket =>
  new Bucket(scope, id, {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    versioned: true,
  });
