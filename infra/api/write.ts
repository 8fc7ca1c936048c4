import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { routes } from '../../shared/api/routes.ts';
import { DESCRIPTION, writeJson } from './description.ts';
import { describeApi } from './document/openapi.ts';

// `npm run openapi -- --record` also records the answers of the examples anew, by the description that it writes first.
const { values } = parseArgs({ options: { record: { type: 'boolean' } } });
writeJson(DESCRIPTION, describeApi(routes));
if (values.record) {
  const { status } = spawnSync('node', ['test/contract/record-examples.ts'], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  spawnSync('node', [import.meta.filename], { stdio: 'inherit' });
}
