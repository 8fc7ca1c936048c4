import { type CfnResource, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { SCHEDULED_HANDLERS } from '../jobs.ts';
import { PharmacyApi } from './api/api.ts';
import { addData, type CodeOf, type Resources } from './data.ts';
import { addDemonstration } from './demonstration/demonstration.ts';
import { addDocumentScan } from './document-scan.ts';
import { addCanaries } from './functions/canary.ts';
import { PharmacyFunction } from './functions/function.ts';
import { addPublisher, addScheduledJob } from './functions/job-functions.ts';
import { routeFunction } from './functions/table.ts';
import { addMonitoring } from './monitoring/monitoring.ts';
import { addOutputs } from './outputs.ts';
import { addRoles } from './roles.ts';
import type { Settings } from './settings.ts';
import { addMail } from './side-stacks.ts';
import { addLog, logGroupPrefix } from './stage.ts';

type StackProps = { readonly settings: Settings; readonly codeOf: CodeOf };

export class PharmacyStack extends Stack {
  constructor(scope: Construct, id: string, { settings, codeOf }: StackProps) {
    const { account, region } = settings;
    super(scope, id, {
      stackName: id,
      env: { ...(account && { account }), ...(region && { region }) },
      description: `Pharmacy, stage ${settings.stage}`,
      terminationProtection: settings.purpose === 'production',
    });
    addMail(this, settings);
    const api = new PharmacyApi(this, 'Api', settings);
    const resources = addData(this, settings, { codeOf, usagePlan: api.usagePlan });
    const routes = this.#addRoutes(api, resources);
    addCanaries(this, settings, routes);
    const jobs = SCHEDULED_HANDLERS.map((handler) => addScheduledJob(this, handler, resources));
    const publisher = addPublisher(this, resources);
    if (settings.contents === 'demonstration') addDemonstration(this, resources);
    if (settings.dataOnRemoval === 'deleted') this.#removeLogs(resources, api);
    const scanning = settings.scanDocuments ? [addDocumentScan(this, resources)] : [];
    const functions = [...routes, ...jobs, publisher, ...scanning];
    const alarmTopic = addMonitoring(this, { ...resources, api, functions, publisher });
    addRoles(this, resources);
    addOutputs(this, resources, api, alarmTopic);
  }

  #addRoutes(api: PharmacyApi, resources: Resources): PharmacyFunction[] {
    const functions = new Map<string, PharmacyFunction>();
    api.serve((route) => {
      const { handler } = route;
      // Two methods of a path may share a handler.
      const fn = functions.get(handler) ?? new PharmacyFunction(this, handler, routeFunction(route), resources);
      functions.set(handler, fn);
      return fn.alias;
    });
    return [...functions.values()];
  }

  #removeLogs({ settings, table }: Resources, { logs }: PharmacyApi): void {
    // API Gateway recreates a log group for requests in progress (hashicorp/terraform#32693), without retention: its logs go
    // after the table, and so after the API's stage and functions.
    table.node.addDependency(...logs);
    // The function that empties the buckets would leave its log behind (aws/aws-cdk#26553).
    const emptying = this.node.findChild('Custom::S3AutoDeleteObjectsCustomResourceProvider').node.findChild('Handler');
    const { logGroupName } = addLog(this, 'EmptyingLog', settings, `${logGroupPrefix(this, settings)}empty-buckets`);
    (emptying as CfnResource).addPropertyOverride('LoggingConfig', { LogGroup: logGroupName });
  }
}
