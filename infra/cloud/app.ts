import { App } from 'aws-cdk-lib';
import { PharmacyStack } from './stack.ts';

new PharmacyStack(new App(), 'Pharmacy');
