import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { routes } from '../../shared/api/routes.ts';
import { PharmacyApi } from './api.ts';
import { PharmacyData } from './data.ts';
import { RouteFunction } from './route-function.ts';
import { addDocumentSweep } from './sweep.ts';

/** The whole service: its data, one function for each row of the route table, the API in front of them, and its jobs. */
export class PharmacyStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const data = new PharmacyData(this, 'Data');
    const api = new PharmacyApi(this, 'Api');
    for (const route of routes) {
      const name = route.handler.replace(/^functions\/|\.ts$/g, '').replaceAll('/', '-');
      api.addRoute(route, new RouteFunction(this, name, { route, data }));
    }
    addDocumentSweep(this, data);
  }
}
