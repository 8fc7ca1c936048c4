import { fileURLToPath } from 'node:url';
import { Duration } from 'aws-cdk-lib';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Route } from '../../shared/api/routes.ts';
import { bundling } from './bundling.ts';
import type { PharmacyData } from './data.ts';

// Argon2 wants memory, and memory brings the processor with it.
const MEMORY_MB = 1_024;
const TIMEOUT_SECONDS = 10;

/** The function of one route, with no more environment and rights than its way of authentication needs. */
export class RouteFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, { route, data }: { route: Route; data: PharmacyData }) {
    super(scope, id, {
      entry: fileURLToPath(new URL(`../../${route.handler}`, import.meta.url)),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY_MB,
      timeout: Duration.seconds(TIMEOUT_SECONDS),
      logGroup: new LogGroup(scope, `${id}-logs`, { retention: RetentionDays.ONE_MONTH }),
      bundling,
      environment: environmentOf(route, data),
    });
    if (route.authentication !== 'client') data.catalog.grantRead(this);
    if (route.authentication === 'key') return;
    data.table.grantReadWriteData(this);
    data.tokenSecret.grantRead(this);
    if (route.authentication === 'user') data.documents.grantReadWrite(this);
  }
}

function environmentOf({ authentication }: Route, data: PharmacyData): Record<string, string> {
  const catalog = { CATALOG_BUCKET: data.catalog.bucketName, IMAGE_BASE_URL: 'https://images.invalid/' };
  const account = { TABLE_NAME: data.table.tableName, TOKEN_SECRET_ID: data.tokenSecret.secretArn };
  if (authentication === 'key') return catalog;
  if (authentication === 'client') return account;
  return { ...catalog, ...account, DOCUMENTS_BUCKET: data.documents.bucketName };
}
