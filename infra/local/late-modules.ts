/* The modules that take long to load. Node loads them while Java starts, from one bundle (infra/local/bundle). */

export const importDataCheck = () => import('./engines/dynamodb/readable-data.ts');
export const importS3 = () => import('./engines/s3.ts');
export const importSes = () => import('./engines/ses.ts');
export const importService = () => import('./service.ts');
export const importWelcome = () => import('./welcome.ts');
