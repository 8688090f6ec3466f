import { createGlobalSetup } from 'vouch/vitest/global-setup';

export default createGlobalSetup({
  spec: '../client/openapi.yaml',
  fixtures: '../client/fixtures',
  scenarios: { down: { operations: { listStations: { respond: { status: 503 } } } } },
});
