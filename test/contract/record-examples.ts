import { runVitest } from '../vitest.ts';

/* Records the answers of the examples anew; `npm run openapi -- --record` writes the API description before and after it. */

process.exitCode = await runVitest(['test/component/docs/openapi-examples.test.ts'], { RECORD_EXAMPLES: '1' });
