import { routes } from '../../shared/api/routes.ts';
import { DESCRIPTION, writeJson } from './description.ts';
import { describeApi } from './document/openapi.ts';

writeJson(DESCRIPTION, describeApi(routes));
