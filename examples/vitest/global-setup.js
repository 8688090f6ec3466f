import { createGlobalSetup } from 'vouch/vitest/global-setup';

export default createGlobalSetup({ spec: '../client/openapi.yaml', fixtures: '../client/fixtures' });
