import { parseArgs } from 'node:util';
import { routes } from '../../shared/api/routes.ts';
import { DESCRIPTION, INTENDED, RELEASED, writeJson } from './description.ts';
import { describeApi } from './document/openapi.ts';

// Run `npm run openapi` after a change of a contract, and add `-- --release` when clients receive the document.
const { values } = parseArgs({ options: { release: { type: 'boolean' } } });
const description = describeApi(routes);
writeJson(DESCRIPTION, description);
if (values.release) {
  writeJson(RELEASED, description);
  writeJson(INTENDED, []);
}
